import type { AccountDefaults } from '../domain/accounts/create-account-pair.ts';
import type { Services } from '../domain/services.ts';
import type { Mailer } from '../platform/mail.ts';
import type { PasswordHasher } from './hash-password.ts';

export interface IdentityOptions {
  readonly services: Pick<Services, 'db' | 'keys' | 'log'>;
  readonly accountDefaults: AccountDefaults;
  /** The origin of the console, without a trailing slash. */
  readonly consoleUrl: string;
  /** Shown in authenticator apps and by passkey dialogs. */
  readonly appName: string;
  readonly signUp: 'open' | 'invited';
  readonly mail: Pick<Mailer, 'sendSoon'>;
  readonly oidc: { readonly issuer: string; readonly clientId: string; readonly clientSecret: string } | null;
  /** Sessions of one listener are not valid at another. */
  readonly listener: 'console' | 'desk';
  readonly passwords: PasswordHasher;
  /** Refuses a sign-in by throwing an APIError. `path` is the endpoint that creates the session. */
  onSession?(sign: { readonly personId: string; readonly path: string }): Promise<void>;
  /** A link that confirms the address of a person. */
  createConfirmLink(personId: string): string;
}
