import { passkey } from '@better-auth/passkey';
import type { BetterAuthOptions } from 'better-auth';
import { APIError } from 'better-auth/api';
import { genericOAuth, twoFactor } from 'better-auth/plugins';
import { endOlderLinks, RESET_LINK, settlePasswordReset } from '../domain/people/credentials.ts';
import { isEmailAddress } from '../domain/people/invitations.ts';
import { existingAccountMail, resetPasswordMail, verifyAddressMail } from '../domain/people/mails.ts';
import { SESSION_IDLE_HOURS, SESSION_MAX_HOURS } from '../domain/people/sessions.ts';
import { setUpPerson } from '../domain/people/set-up-person.ts';
import { sha256 } from '../platform/crypto.ts';
import { newId } from '../platform/ids.ts';
import { errorFieldsWithoutMessage, type Log } from '../platform/log.ts';
import { oneLine } from '../platform/text.ts';
import { createAnnounceChange } from './announce-change.ts';
import { authTables, deskTables, passkeyTables, twoFactorTables } from './auth-tables.ts';
import { MAX_PASSWORD_CHARS, MIN_PASSWORD_CHARS } from './hash-password.ts';
import type { IdentityOptions } from './identity-options.ts';
import { readIdentitySecrets } from './identity-secrets.ts';
import { preparePasswords } from './prepare-password.ts';
import {
  ADDRESS_RULES,
  CLIENT_ADDRESS,
  createAddressLimits,
  createAfterHook,
  createBeforeHook,
  isInvited,
  MAX_NAME_CHARS,
  useCodeOnce,
} from './sign-in-rules.ts';

const LINK_SECONDS = 3_600;
const FRESH_SECONDS = 15 * 60;
const HOUR_MS = 3_600_000;
const MAX_USER_AGENT_CHARS = 500;
/** Names of the console's pages that mails and redirects lead to. */
const PAGES = { reset: '/reset-password', signIn: '/sign-in' } as const;

/** Browsers send cookies to every port of a host, so the names of two listeners differ. */
const COOKIES = {
  console: { prefix: 'atelier', session: 'sid' },
  desk: { prefix: 'atelier-desk', session: 'desk-sid' },
} as const;

/** The tokens of an OpenID Connect provider are not needed after the sign-in. */
const NO_TOKENS = { accessToken: null, refreshToken: null, idToken: null } as const;

/** What a client holds cannot be read from the table. Password links can be told from other values. */
const STORED_IDENTIFIERS = {
  default: 'hashed' as const,
  overrides: {
    'reset-password:': { hash: async (id: string) => `${RESET_LINK}${sha256(id).toString('base64url')}` },
  },
};

/** What a person is told, by the endpoint that changes the second factor. */
const TWO_FACTOR_CHANGES: Readonly<Record<string, string>> = {
  '/two-factor/verify-totp': 'An authenticator app was turned on for your account.',
  '/two-factor/disable': 'The authenticator app was turned off for your account.',
};

/** The configuration of better-auth. docs/decisions/0014 explains each choice. */
export function createAuthOptions(given: IdentityOptions) {
  const { services, accountDefaults, consoleUrl, mail } = given;
  const isSecure = consoleUrl.startsWith('https://');
  const names = COOKIES[given.listener];
  const tables = given.listener === 'desk' ? deskTables : authTables;
  const page = (path: string) => `${consoleUrl}${path}`;
  const announce = createAnnounceChange(given);
  const passwords = preparePasswords(given.passwords);
  return {
    appName: given.appName,
    baseURL: consoleUrl,
    basePath: '/api/auth',
    trustedOrigins: [consoleUrl],
    secrets: readIdentitySecrets(services.keys),
    telemetry: { enabled: false },
    logger: createLogger(services.log),
    // An unexpected error reaches our handler, which logs it without what the client sent.
    onAPIError: { errorURL: page(PAGES.signIn), throw: true },

    user: tables.user,
    account: tables.account,
    verification: { ...tables.verification, storeIdentifier: STORED_IDENTIFIERS },
    session: {
      ...tables.session,
      // The cookie's life. The row's life is shorter and is extended by extendSession alone.
      expiresIn: SESSION_MAX_HOURS * 3_600,
      disableSessionRefresh: true,
      freshAge: FRESH_SECONDS,
    },
    advanced: {
      database: { generateId: () => newId(), validateSchema: false },
      // The library would name it __Secure-; a cookie named __Host- cannot be set by another host of the domain. Browsers
      // refuse that name over plain http, which is for a laptop only.
      useSecureCookies: false,
      cookiePrefix: `${isSecure ? '__Host-' : ''}${names.prefix}`,
      cookies: { session_token: { name: `${isSecure ? '__Host-' : ''}${names.session}` } },
      defaultCookieAttributes: { httpOnly: true, secure: isSecure, sameSite: 'lax', path: '/' },
      ipAddress: { ipAddressHeaders: [CLIENT_ADDRESS], ipv6Subnet: 64 },
      disableCSRFCheck: false,
      disableOriginCheck: false,
      // A mail or a sweep must not decide how long an answer takes.
      backgroundTasks: { handler: (task) => void task.catch((error) => logTask(services.log, error)) },
    },
    rateLimit: { enabled: true, customStorage: createAddressLimits(services), customRules: ADDRESS_RULES },
    hooks: {
      before: createBeforeHook({ services, signUp: given.signUp, passwords }),
      after: createAfterHook({ services, announce }),
    },

    databaseHooks: {
      user: {
        create: {
          before: async (user, context) => {
            const token = (context?.body as { invitation?: unknown } | undefined)?.invitation;
            const invited = await isInvited(services, { email: user.email, token });
            // Pages show no picture of a person, so none is stored.
            return { data: { ...user, image: null, emailVerified: user.emailVerified || invited } };
          },
        },
        update: {
          after: async (user, context) => {
            const change = TWO_FACTOR_CHANGES[context?.path ?? ''];
            if (change !== undefined) await announce(user.id, change);
          },
        },
      },
      verification: {
        create: {
          after: async ({ identifier, value, createdAt }) => {
            if (identifier.startsWith(RESET_LINK)) await endOlderLinks(services, { personId: value, createdAt });
          },
        },
      },
      account: {
        create: { before: async (account) => ({ data: { ...account, ...NO_TOKENS } }) },
        update: { before: async (account) => ({ data: { ...account, ...NO_TOKENS } }) },
      },
      session: {
        create: {
          before: async (session, context) => {
            if (context?.path === '/two-factor/verify-totp') {
              await useCodeOnce(services, { personId: session.userId, code: context.body.code });
            }
            await given.onSession?.({ personId: session.userId, path: context?.path ?? '' });
            // The desk creates no accounts.
            if (given.listener === 'console') await setUpPerson({ db: services.db, accountDefaults }, session.userId);
            return {
              data: {
                ...session,
                userAgent: session.userAgent?.slice(0, MAX_USER_AGENT_CHARS),
                expiresAt: new Date(Date.now() + SESSION_IDLE_HOURS * HOUR_MS),
              },
            };
          },
        },
      },
    },

    emailAndPassword: {
      enabled: true,
      requireEmailVerification: true,
      autoSignIn: false,
      minPasswordLength: MIN_PASSWORD_CHARS,
      maxPasswordLength: MAX_PASSWORD_CHARS,
      password: passwords,
      revokeSessionsOnPasswordReset: true,
      resetPasswordTokenExpiresIn: LINK_SECONDS,
      sendResetPassword: async ({ user, token }) =>
        mail.sendSoon({ to: user.email, ...resetPasswordMail({ url: resetLink(consoleUrl, token) }) }),
      onPasswordReset: async ({ user }) => {
        const passkeys = await settlePasswordReset(services, user.id);
        await announce(user.id, `Your password was changed.${passkeys === 0 ? '' : ' Your passkeys were removed.'}`);
      },
      onExistingUserSignUp: async ({ user }) => {
        // Without a verified address, a concurrent sign-up has just sent its mail.
        if (user.emailVerified) mail.sendSoon({ to: user.email, ...existingAccountMail({ url: page(PAGES.signIn) }) });
      },
    },
    emailVerification: {
      sendOnSignUp: true,
      sendOnSignIn: false,
      autoSignInAfterVerification: false,
      sendVerificationEmail: async ({ user }) => {
        if (user.emailVerified) return;
        mail.sendSoon({ to: user.email, ...verifyAddressMail({ url: given.createConfirmLink(user.id) }) });
      },
    },

    plugins: [
      twoFactor({ issuer: given.appName, schema: twoFactorTables }),
      passkey({
        rpID: new URL(consoleUrl).hostname,
        rpName: given.appName,
        origin: consoleUrl,
        schema: passkeyTables,
        // A passkey replaces password and second factor, so the device must have checked who holds it.
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        registration: {
          afterVerification: ({ verification }) => requireUserVerified(verification.registrationInfo?.userVerified),
        },
        authentication: {
          afterVerification: ({ verification }) => requireUserVerified(verification.authenticationInfo.userVerified),
        },
      }),
      ...(given.oidc === null ? [] : [genericOAuth({ config: [createOidcConfig(given.oidc, given.signUp)] })]),
    ],
  } satisfies BetterAuthOptions;
}

export function resetLink(consoleUrl: string, token: string): string {
  return `${consoleUrl}${PAGES.reset}?${new URLSearchParams({ token })}`;
}

function createOidcConfig(oidc: NonNullable<IdentityOptions['oidc']>, signUp: IdentityOptions['signUp']) {
  return {
    providerId: 'oidc',
    discoveryUrl: `${oidc.issuer}/.well-known/openid-configuration`,
    clientId: oidc.clientId,
    clientSecret: oidc.clientSecret,
    scopes: ['openid', 'email', 'profile'],
    pkce: true,
    requireIdTokenVerification: true,
    requireEmailVerification: true,
    disableProviderLogout: true,
    disableSignUp: signUp === 'invited',
    mapProfileToUser: readProfile,
  };
}

/** What a provider says about a person. Only the boolean `true` verifies an address, as OpenID Connect defines it. */
function readProfile({ email, email_verified, name }: Record<string, unknown>) {
  return {
    // Without an address the library refuses the sign-in.
    email: typeof email === 'string' && isEmailAddress(email) ? email : null,
    emailVerified: email_verified === true,
    name: typeof name === 'string' ? oneLine(name, MAX_NAME_CHARS) : '',
  };
}

function requireUserVerified(verified: boolean | undefined): void {
  if (verified === true) return;
  throw new APIError('BAD_REQUEST', {
    code: 'USER_VERIFICATION_REQUIRED',
    message: 'The device did not check a PIN, fingerprint or face. Use a device that does.',
  });
}

/** Lower levels are about single requests and quote what a client sent. */
function createLogger(log: Log) {
  return {
    level: 'error' as const,
    log: (_level: string, _message: string, ...args: unknown[]) => {
      const error = args.find((each) => each instanceof Error);
      if (error !== undefined) log.warn('sign-in failed', errorFieldsWithoutMessage(error));
    },
  };
}

function logTask(log: Log, error: unknown): void {
  log.warn('background work of a sign-in failed', errorFieldsWithoutMessage(error));
}
