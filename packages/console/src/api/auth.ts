import { ApiProblem } from './problem.ts';
import { withRecentSignIn } from './reauthenticate.ts';

/** A refusal of the sign-in endpoints: they answer with a code and a message of their own, not with a problem. */
export class AuthError extends Error {
  override readonly name = 'AuthError';
  readonly code: string;
  readonly status: number;

  constructor(options: { code: string; message: string; status: number }) {
    super(options.message);
    this.code = options.code;
    this.status = options.status;
  }
}

const TIMEOUT_MS = 30_000;

/** Calls an endpoint under /api/auth. One that needs a recent sign-in asks for it first. */
const call = <T>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<T> =>
  withRecentSignIn(
    () => send<T>(method, path, body),
    (error) => error instanceof AuthError && error.code === 'SESSION_NOT_FRESH',
  );

async function send<T>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<T> {
  const response = await fetch(`/api/auth${path}`, {
    method,
    credentials: 'same-origin',
    headers: method === 'GET' ? {} : { 'content-type': 'application/json', 'x-atelier-console': '1' },
    ...(method === 'GET' ? {} : { body: JSON.stringify(body ?? {}) }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => {
    throw new ApiProblem(null);
  });
  const answer = (await response.json().catch(() => null)) as Record<string, unknown> | null;
  if (response.ok) return answer as T;
  throw new AuthError({
    code: typeof answer?.code === 'string' ? answer.code : String(response.status),
    message: textOf(answer?.message) ?? textOf(answer?.detail) ?? textOf(answer?.title) ?? '',
    status: response.status,
  });
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

export const signIn = (input: { email: string; password: string }) =>
  call<{ twoFactorRedirect?: boolean }>('POST', '/sign-in/email', { ...input, rememberMe: true });
/** An invitation proves the address, so that no mail needs to confirm it. */
export const signUp = (input: { name: string; email: string; password: string; invitation?: string }) =>
  call<{ user?: { emailVerified?: boolean } }>('POST', '/sign-up/email', input);
/** The address of the provider's sign-in page, which leads back to `next`, or to the sign-in page after a refusal. */
export const startOidc = (next: string) =>
  call<{ url: string }>('POST', '/sign-in/social', {
    provider: 'oidc',
    callbackURL: next,
    errorCallbackURL: '/sign-in',
  });
export const signOut = () => call<unknown>('POST', '/sign-out');
export const sendVerification = (email: string) => call<unknown>('POST', '/send-verification-email', { email });
export const requestReset = (email: string) => call<unknown>('POST', '/request-password-reset', { email });
export const resetPassword = (input: { newPassword: string; token: string }) =>
  call<unknown>('POST', '/reset-password', input);
export const changePassword = (input: { currentPassword: string; newPassword: string }) =>
  call<unknown>('POST', '/change-password', { ...input, revokeOtherSessions: true });

export const verifyTotp = (code: string) => call<unknown>('POST', '/two-factor/verify-totp', { code });
export const verifyBackupCode = (code: string) => call<unknown>('POST', '/two-factor/verify-backup-code', { code });
export const enableTotp = (password: string) =>
  call<{ totpURI: string; backupCodes: string[] }>('POST', '/two-factor/enable', { password });
export const disableTotp = (password: string) => call<unknown>('POST', '/two-factor/disable', { password });

export interface PersonSession {
  readonly id: string;
  readonly token: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly ipAddress?: string | null;
  readonly userAgent?: string | null;
}
export interface OwnSession {
  readonly session: PersonSession;
  readonly user: { readonly email: string; readonly twoFactorEnabled?: boolean | null };
}
export const getOwnSession = () => call<OwnSession | null>('GET', '/get-session');
export const listSessions = () => call<PersonSession[]>('GET', '/list-sessions');
export const revokeSession = (token: string) => call<unknown>('POST', '/revoke-session', { token });
export const revokeOtherSessions = () => call<unknown>('POST', '/revoke-other-sessions');

export interface Passkey {
  readonly id: string;
  readonly name?: string | null;
  readonly createdAt?: string | null;
}
export const listPasskeys = () => call<Passkey[]>('GET', '/passkey/list-user-passkeys');
export const deletePasskey = (id: string) => call<unknown>('POST', '/passkey/delete-passkey', { id });

/** True if this browser can sign in with a passkey. */
export const canUsePasskeys = (): boolean =>
  typeof PublicKeyCredential === 'function' && 'parseRequestOptionsFromJSON' in PublicKeyCredential;

export async function signInWithPasskey(): Promise<void> {
  const options = await call<PublicKeyCredentialRequestOptionsJSON>('GET', '/passkey/generate-authenticate-options');
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const credential = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential | null;
  await call('POST', '/passkey/verify-authentication', { response: credential?.toJSON() });
}

export async function addPasskey({ name, password }: { name: string; password: string }): Promise<void> {
  const query = new URLSearchParams({ name });
  const options = await call<PublicKeyCredentialCreationOptionsJSON>(
    'GET',
    `/passkey/generate-register-options?${query}`,
  );
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const credential = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential | null;
  await call('POST', '/passkey/verify-registration', { response: credential?.toJSON(), name, password });
}
