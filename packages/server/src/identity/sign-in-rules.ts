import { APIError, createAuthMiddleware, getSessionFromCtx } from 'better-auth/api';
import { endOneTimeValues } from '../domain/people/credentials.ts';
import { acceptInvitationOfSignUp, findInvitation } from '../domain/people/invitations.ts';
import { forgetUnverifiedPerson } from '../domain/people/manage-people.ts';
import { type ThrottleRule, throttle } from '../domain/people/throttle.ts';
import type { Services } from '../domain/services.ts';
import { Problem } from '../platform/problem.ts';
import type { AnnounceChange } from './announce-change.ts';
import { MAX_PASSWORD_CHARS, MIN_PASSWORD_CHARS } from './hash-password.ts';
import type { PreparedPasswords } from './prepare-password.ts';

const MINUTE = 60;
const HOUR = 3_600;

/** Per client address. Each path counts for itself; those not listed share the last rule's numbers. */
export const ADDRESS_RULES: Readonly<Record<string, { window: number; max: number }>> = {
  '/sign-in/email': { window: MINUTE, max: 20 },
  '/sign-in/social': { window: MINUTE, max: 20 },
  '/sign-up/email': { window: HOUR, max: 20 },
  '/request-password-reset': { window: HOUR, max: 20 },
  '/send-verification-email': { window: HOUR, max: 20 },
  '/reset-password': { window: HOUR, max: 20 },
  '/change-password': { window: HOUR, max: 20 },
  '/two-factor/*': { window: MINUTE, max: 20 },
  '/passkey/verify-authentication': { window: MINUTE, max: 20 },
  '/**': { window: MINUTE, max: 300 },
};

/** Per email address, whether or not someone has it. The first stops a guesser without locking out its victim elsewhere. */
const EMAIL_FROM_ADDRESS: ThrottleRule = { windowSeconds: 15 * MINUTE, max: 10 };
const EMAIL: ThrottleRule = { windowSeconds: HOUR, max: 100 };
/** Passwords tried by someone who has a session. */
const PASSWORD_OF_SESSION: ThrottleRule = { windowSeconds: 15 * MINUTE, max: 10 };
/** Mails of one kind to an address: asked for by one client, who is refused, and by all, who get the usual answer and no mail. */
const MAIL_FROM_ADDRESS: ThrottleRule = { windowSeconds: HOUR, max: 5 };
const MAIL: ThrottleRule = { windowSeconds: HOUR, max: 20 };
/** A code is valid for 90 seconds. */
const CODE_ONCE: ThrottleRule = { windowSeconds: 5 * MINUTE, max: 1 };

export const MAX_NAME_CHARS = 200;
const CONTROL_CHARACTERS = /[\p{Cc}\p{Cs}]/u;

/** The header in which the listener names the client's address. What a client sends there is overwritten. */
export const CLIENT_ADDRESS = 'x-atelier-client-address';

interface Rules {
  readonly services: Pick<Services, 'db'>;
  /** Whether anyone may sign up, or only who was invited. */
  readonly signUp: 'open' | 'invited';
  readonly passwords: PreparedPasswords;
}

/** Runs before every endpoint of the library: throttles by email address, and checks what the library does not. */
export function createBeforeHook({ services, signUp, passwords }: Rules) {
  const limit = async (subject: string, rule: ThrottleRule) => {
    const waitSeconds = await throttle(services, subject, rule);
    if (waitSeconds !== null) throw tooManyRequests(waitSeconds);
  };
  return createAuthMiddleware(async (ctx) => {
    // A call of our own, not a request.
    if (ctx.request === undefined) return undefined;
    if (ASKS_PASSWORD.has(ctx.path)) {
      const session = await getSessionFromCtx(ctx);
      if (session !== null) await limit(`password of ${session.user.id}`, PASSWORD_OF_SESSION);
    }
    const body = (ctx.body ?? {}) as Record<string, unknown>;
    const email = typeof body.email === 'string' ? body.email.trim().toLowerCase() : '';
    const address = ctx.headers?.get(CLIENT_ADDRESS) ?? '';
    switch (ctx.path) {
      case '/sign-in/email': {
        await limit(`sign-in ${email} ${address}`, EMAIL_FROM_ADDRESS);
        await limit(`sign-in ${email}`, EMAIL);
        return undefined;
      }
      case '/sign-up/email': {
        await limit(`sign-up ${email} ${address}`, MAIL_FROM_ADDRESS);
        await limit(`sign-up ${email}`, MAIL);
        const invited = await isInvited(services, { email, token: body.invitation });
        if (signUp === 'invited' && !invited) {
          throw new APIError('FORBIDDEN', {
            code: 'SIGN_UP_BY_INVITATION',
            message: 'Sign-up is by invitation only. Open the link in the invitation that you received.',
          });
        }
        const name = readName(body.name);
        // The library refuses others, and a refused sign-up replaces nobody.
        if (isPassword(body.password)) {
          await passwords.prepare(body.password);
          await forgetUnverifiedPerson(services, email);
        }
        return { context: { body: { ...body, name } } };
      }
      case '/request-password-reset':
      case '/send-verification-email':
        await limit(`${ctx.path} ${email} ${address}`, MAIL_FROM_ADDRESS);
        // Strangers who ask for many mails do not block the owner of the address, whose newest link still works.
        if ((await throttle(services, `${ctx.path} ${email}`, MAIL)) !== null)
          return ctx.json(MAILED[ctx.path] ?? null);
        return undefined;
      case '/passkey/verify-registration':
        await requirePassword(ctx, body.password);
        return { context: { body: { ...body, name: readName(body.name) } } };
      case '/update-user':
      case '/passkey/update-passkey':
        return { context: { body: { ...body, name: readName(body.name) } } };
      case '/change-password':
        return { context: { body: { ...body, revokeOtherSessions: true } } };
      default:
        return undefined;
    }
  });
}

/** What the library answers, whether or not it sends a mail. */
const MAILED: Readonly<Record<string, object>> = {
  '/request-password-reset': {
    status: true,
    message: 'If this email exists in our system, check your email for the reset link',
  },
  '/send-verification-email': { status: true },
};

/** A code of an authenticator app completes one sign-in: whoever saw it cannot use it again, here or at the desk. */
export async function useCodeOnce(
  services: Pick<Services, 'db'>,
  { personId, code }: { personId: string; code: unknown },
): Promise<void> {
  if ((await throttle(services, `code ${personId} ${code}`, CODE_ONCE)) === null) return;
  throw new APIError('UNAUTHORIZED', {
    code: 'INVALID_CODE',
    message: 'The code was used before. Wait for the next one.',
  });
}

/** The endpoints that ask a signed-in person for the password. */
const ASKS_PASSWORD: ReadonlySet<string> = new Set([
  '/change-password',
  '/passkey/verify-registration',
  '/two-factor/enable',
  '/two-factor/disable',
  '/two-factor/get-totp-uri',
  '/two-factor/generate-backup-codes',
]);

/** A passkey lets its holder in for good, so a session alone, which may be stolen, does not add one. */
async function requirePassword(ctx: Parameters<typeof getSessionFromCtx>[0], password: unknown): Promise<void> {
  const session = await getSessionFromCtx(ctx);
  // The library refuses a request without a session.
  if (session === null) return;
  const { internalAdapter, password: hasher } = ctx.context;
  const hash = (await internalAdapter.findCredentialAccount(session.user.id))?.password;
  if (hash === undefined || hash === null) {
    throw new APIError('BAD_REQUEST', {
      code: 'PASSWORD_REQUIRED',
      message: 'Choose a password first: sign out, and use "Forgot your password?".',
    });
  }
  if (isPassword(password) && (await hasher.verify({ hash, password }))) return;
  throw new APIError('BAD_REQUEST', { code: 'INVALID_PASSWORD', message: 'The password is wrong.' });
}

/** Runs after every endpoint of the library. */
export function createAfterHook({ services, announce }: Pick<Rules, 'services'> & { announce: AnnounceChange }) {
  return createAuthMiddleware(async (ctx) => {
    const { returned } = ctx.context;
    if (ctx.request === undefined || returned === undefined || returned instanceof Error) return;
    switch (ctx.path) {
      case '/sign-up/email':
        return joinInvited(services, {
          ...(ctx.body as SignUp),
          personId: (returned as { user: { id: string } }).user.id,
        });
      case '/passkey/verify-registration': {
        const { userId, name } = returned as { userId: string; name: string };
        return announce(userId, `The passkey "${name}" was added to your account.`);
      }
      case '/change-password': {
        const { user } = returned as { user: { id: string } };
        await endOneTimeValues(services, user.id);
        return announce(user.id, 'Your password was changed.');
      }
      case '/two-factor/generate-backup-codes': {
        const session = await getSessionFromCtx(ctx);
        if (session !== null) await announce(session.user.id, 'New backup codes were created for your account.');
      }
    }
  });
}

interface SignUp {
  readonly email: string;
  readonly invitation?: unknown;
}

/**
 * A person who signed up with an invitation belongs to the account right away. So does one who had an account already: they
 * keep their password, and the answer does not tell.
 */
async function joinInvited(
  services: Rules['services'],
  { email, invitation: token, personId }: SignUp & { personId: string },
): Promise<void> {
  if (typeof token !== 'string' || !(await isInvited(services, { email: email.toLowerCase(), token }))) return;
  await acceptInvitationOfSignUp(services, { personId, token }).catch((error: unknown) => {
    // A concurrent request used it, or signed up with the address.
    if (!(error instanceof Problem)) throw error;
  });
}

/** The invitation was mailed to this address, so whoever has it can read the address's mail. */
export async function isInvited(
  services: Pick<Services, 'db'>,
  { email, token }: { email: string; token: unknown },
): Promise<boolean> {
  if (typeof token !== 'string') return false;
  return (await findInvitation(services, token))?.email === email;
}

/** The library's own limiter, with its counters in PostgreSQL. */
export function createAddressLimits(services: Pick<Services, 'db'>) {
  return {
    async consume(key: string, { window, max }: { window: number; max: number }) {
      const retryAfter = await throttle(services, `address ${key}`, { windowSeconds: window, max });
      return { allowed: retryAfter === null, retryAfter };
    },
  };
}

function tooManyRequests(waitSeconds: number): APIError {
  return new APIError(
    'TOO_MANY_REQUESTS',
    { code: 'TOO_MANY_REQUESTS', message: `Too many attempts. Try again in ${waitSeconds} seconds.` },
    { 'Retry-After': String(waitSeconds) },
  );
}

function isPassword(password: unknown): password is string {
  return typeof password === 'string' && password.length >= MIN_PASSWORD_CHARS && password.length <= MAX_PASSWORD_CHARS;
}

function readName(name: unknown): string {
  const text = typeof name === 'string' ? name.trim() : '';
  if (text === '' || text.length > MAX_NAME_CHARS || CONTROL_CHARACTERS.test(text)) {
    throw new APIError('BAD_REQUEST', {
      code: 'INVALID_NAME',
      message: `The name must have 1 to ${MAX_NAME_CHARS} characters, on one line.`,
    });
  }
  return text;
}
