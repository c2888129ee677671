import type { Services } from '../domain/services.ts';
import { createIdentity, type PeopleDesk } from '../identity/create-identity.ts';
import { createDb } from '../platform/db.ts';
import { errorFields } from '../platform/log.ts';
import { createMailer, type Mailer } from '../platform/mail.ts';
import type { Config } from './config/config.ts';

const MAX_CONNECTIONS = 4;
const APP_NAME = 'Atelier';

export interface OpenIdentity {
  readonly identity: PeopleDesk;
  readonly mail: Mailer;
  close(): Promise<void>;
}

/** Sign-in and mail, as the console and the commands about people use them. */
export async function openIdentity(
  config: Config,
  services: Pick<Services, 'db' | 'keys' | 'log'>,
): Promise<OpenIdentity> {
  const authDb = createDb({
    url: config.databaseUrl,
    applicationName: 'atelier-sign-in',
    maxConnections: MAX_CONNECTIONS,
    onIdleError: (error) => services.log.warn('idle database connection lost', errorFields(error)),
  });
  const { signUp, smtpUrl, mailFrom, oidc } = config.signIn;
  const mail = createMailer({ smtpUrl, from: mailFrom, log: services.log });
  const identity = await createIdentity({
    services,
    authDb,
    accountDefaults: config.accountDefaults,
    consoleUrl: config.consoleUrl,
    appName: APP_NAME,
    signUp,
    mail,
    oidc,
  });
  return {
    identity,
    mail,
    async close() {
      await mail.close();
      await authDb.pool.end();
    },
  };
}
