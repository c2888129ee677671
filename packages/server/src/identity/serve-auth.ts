import { isIP } from 'node:net';
import { readOwnPath } from '@atelier/contract/console';
import { endOtherSessions, endSession, listSessions } from '../domain/people/sessions.ts';
import type { Services } from '../domain/services.ts';
import type { SignedIn } from '../http/console/identity.ts';
import { errorFieldsWithoutMessage } from '../platform/log.ts';
import { type AddressConfirmation, CONFIRM_PATH } from './confirm-address.ts';
import { CLIENT_ADDRESS } from './sign-in-rules.ts';

const BASE = '/api/auth';
const MAX_BODY_CHARS = 64 * 1024;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

interface Served {
  readonly method: 'GET' | 'POST';
  /** The members of the body that reach the library. */
  readonly body?: readonly string[];
  /** Those of the query. */
  readonly query?: readonly string[];
}

/** Members that say where a browser goes next: to a page of the console. */
const RETURN_ADDRESSES = ['callbackURL', 'errorCallbackURL'];

/**
 * The endpoints of the library that are served, and what a request may say. What is not in this table does not exist, whatever
 * the library adds.
 */
export const SERVED: Readonly<Record<string, Served>> = {
  '/sign-up/email': { method: 'POST', body: ['name', 'email', 'password', 'invitation'] },
  '/sign-in/email': { method: 'POST', body: ['email', 'password', 'rememberMe'] },
  '/sign-in/social': { method: 'POST', body: ['provider', 'callbackURL', 'errorCallbackURL'] },
  '/sign-out': { method: 'POST', body: [] },
  '/callback/oidc': { method: 'GET', query: ['code', 'state', 'iss', 'error', 'error_description'] },
  '/send-verification-email': { method: 'POST', body: ['email'] },
  '/request-password-reset': { method: 'POST', body: ['email'] },
  '/reset-password': { method: 'POST', body: ['token', 'newPassword'] },
  '/change-password': { method: 'POST', body: ['currentPassword', 'newPassword'] },
  '/update-user': { method: 'POST', body: ['name'] },
  '/get-session': { method: 'GET' },
  '/two-factor/enable': { method: 'POST', body: ['password'] },
  '/two-factor/disable': { method: 'POST', body: ['password'] },
  '/two-factor/get-totp-uri': { method: 'POST', body: ['password'] },
  '/two-factor/verify-totp': { method: 'POST', body: ['code'] },
  '/two-factor/verify-backup-code': { method: 'POST', body: ['code'] },
  '/two-factor/generate-backup-codes': { method: 'POST', body: ['password'] },
  '/passkey/generate-register-options': { method: 'GET', query: ['name'] },
  '/passkey/verify-registration': { method: 'POST', body: ['response', 'name', 'password'] },
  '/passkey/generate-authenticate-options': { method: 'GET' },
  '/passkey/verify-authentication': { method: 'POST', body: ['response'] },
  '/passkey/list-user-passkeys': { method: 'GET' },
  '/passkey/update-passkey': { method: 'POST', body: ['id', 'name'] },
  '/passkey/delete-passkey': { method: 'POST', body: ['id'] },
};

/**
 * Operators sign in at the desk with a password and a code, and do everything else about themselves in the console. Passkeys are of the
 * console alone: whoever can add one there must not get in here.
 */
export const DESK_ENDPOINTS: ReadonlySet<string> = new Set([
  '/sign-in/email',
  '/sign-out',
  '/get-session',
  '/two-factor/verify-totp',
  '/two-factor/verify-backup-code',
]);

interface Serving {
  readonly services: Pick<Services, 'db' | 'log'>;
  readonly consoleUrl: string;
  /** The only ones that are served; null for all. */
  readonly endpoints: ReadonlySet<string> | null;
  /** The library. */
  answer(request: Request): Promise<Response>;
  readSession(headers: Headers): Promise<SignedIn | null>;
  readonly addresses: AddressConfirmation;
}

/** Answers the requests under /api/auth/. */
export function createServeAuth({ services, consoleUrl, endpoints, answer, readSession, addresses }: Serving) {
  return async (request: Request, client: { readonly address: string }): Promise<Response> => {
    const path = new URL(request.url).pathname.slice(BASE.length);
    try {
      if (endpoints !== null && !endpoints.has(path)) return refuse(404, 'NOT_FOUND', 'There is no such endpoint.');
      if (path in OWN) return await serveOwn(path, request);
      const row = SERVED[path];
      if (row?.method !== request.method) return refuse(404, 'NOT_FOUND', 'There is no such endpoint.');
      const checked = await rebuild(request, { row, address: client.address, consoleUrl });
      if (checked instanceof Response) return checked;
      const answered = await withoutToken(await answer(checked), consoleUrl);
      return path === SIGN_UP ? rememberSignUp(answered) : answered;
    } catch (error) {
      services.log.error('sign-in request failed', errorFieldsWithoutMessage(error));
      return refuse(503, 'UNAVAILABLE', 'Sign-in is temporarily unavailable. Try again.');
    }
  };

  /** An address that has an account already gets a cookie too, of a person who does not exist. */
  async function rememberSignUp(answered: Response): Promise<Response> {
    if (!answered.ok) return answered;
    const { user } = (await answered.clone().json()) as { user?: { id?: unknown } };
    if (typeof user?.id === 'string') answered.headers.append('set-cookie', addresses.createCookie(user.id));
    return answered;
  }

  async function serveOwn(path: string, request: Request): Promise<Response> {
    if (OWN[path] !== request.method) return refuse(404, 'NOT_FOUND', 'There is no such endpoint.');
    if (path === CONFIRM_PATH) {
      const headers = { location: await addresses.confirm(request), 'cache-control': 'no-store' };
      return new Response(null, { status: 302, headers });
    }
    const signedIn = await readSession(request.headers);
    if (signedIn === null) return refuse(401, 'UNAUTHORIZED', 'You are not signed in, or the session has ended.');
    const { personId, sessionId } = signedIn;
    switch (path) {
      case '/list-sessions': {
        const sessions = await listSessions(services, personId);
        return json(
          200,
          sessions.map((each) => ({ ...each, token: each.id, isCurrent: each.id === sessionId })),
        );
      }
      case '/revoke-other-sessions':
        await endOtherSessions(services, { personId, keptId: sessionId });
        return json(200, { status: true });
      default: {
        const id = await readSessionId(request);
        const found = id !== null && (await endSession(services, { personId, sessionId: id }));
        return found ? json(200, { status: true }) : refuse(404, 'NOT_FOUND', 'There is no such session.');
      }
    }
  }
}

const SIGN_UP = '/sign-up/email';

/**
 * Endpoints of our own. The library identifies sessions by their tokens, which only the cookie has; these use the ids. Its link that
 * confirms an address would confirm the sign-up of anyone with that address.
 */
const OWN: Readonly<Record<string, 'GET' | 'POST'>> = {
  [CONFIRM_PATH]: 'GET',
  '/list-sessions': 'GET',
  '/revoke-session': 'POST',
  '/revoke-other-sessions': 'POST',
};

async function readSessionId(request: Request): Promise<string | null> {
  const body = (await request.json().catch(() => null)) as { id?: unknown; token?: unknown } | null;
  const id = body?.id ?? body?.token;
  return typeof id === 'string' && UUID.test(id) ? id : null;
}

/** The request as the library may see it: our origin, the real address of the client, the known members of the query and of a small JSON body. */
async function rebuild(
  request: Request,
  { row, address, consoleUrl }: { row: Served; address: string; consoleUrl: string },
): Promise<Request | Response> {
  const { pathname, searchParams } = new URL(request.url);
  const query = new URLSearchParams([...searchParams].filter(([name]) => row.query?.includes(name)));
  const headers = new Headers(request.headers);
  headers.set(CLIENT_ADDRESS, isIP(address) === 0 ? '0.0.0.0' : address);
  const url = `${consoleUrl}${pathname}${query.size === 0 ? '' : `?${query}`}`;
  if (request.method !== 'POST') return new Request(url, { method: request.method, headers });
  if (headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() !== 'application/json') {
    return refuse(415, 'UNSUPPORTED_MEDIA_TYPE', 'The body must be JSON.');
  }
  const body = await request.text();
  if (body.length > MAX_BODY_CHARS) return refuse(413, 'PAYLOAD_TOO_LARGE', 'The body is too large.');
  const given = body === '' ? {} : parse(body);
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return refuse(400, 'INVALID_BODY', 'The body must be a JSON object.');
  }
  headers.delete('content-length');
  const known = Object.entries(given).filter(([name]) => row.body?.includes(name));
  const isAway = ([name, value]: [string, unknown]) => RETURN_ADDRESSES.includes(name) && readOwnPath(value) === null;
  if (known.some(isAway))
    return refuse(403, 'INVALID_CALLBACK_URL', 'The return address is not a page of the console.');
  return new Request(url, { method: 'POST', headers, body: JSON.stringify(Object.fromEntries(known)) });
}

/**
 * The library repeats the session's token in its answers. A script of the page could read it there, so it is replaced by the
 * session's id, and an error always has a code and a message.
 */
async function withoutToken(response: Response, consoleUrl: string): Promise<Response> {
  const headers = new Headers(response.headers);
  headers.set('cache-control', 'no-store');
  if (response.status >= 300 && response.status < 400) {
    const location = headers.get('location') ?? '';
    const path = location.startsWith(`${consoleUrl}/`) ? location.slice(consoleUrl.length) : location;
    headers.set('location', readOwnPath(path) ?? '/');
    return new Response(null, { status: response.status, headers });
  }
  const text = await response.text();
  const body = parse(text);
  headers.delete('content-length');
  if (response.status >= 400) return explain(response.status, body, headers);
  return json(response.status, stripTokens(body), headers);
}

function stripTokens(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const { token, session, ...rest } = body as Record<string, unknown>;
  return {
    ...rest,
    ...(token === undefined ? {} : { token: null }),
    ...(typeof session === 'object' && session !== null
      ? { session: { ...session, token: (session as { id?: unknown }).id } }
      : {}),
  };
}

function explain(status: number, body: unknown, headers: Headers): Response {
  const { code, message } = (body ?? {}) as { code?: unknown; message?: unknown };
  const wait = headers.get('x-retry-after');
  if (wait !== null) headers.set('retry-after', wait);
  if (code === 'FAILED_TO_VERIFY_REGISTRATION')
    return refuse(400, code, 'The passkey could not be verified. Try again.');
  if (status >= 500) return refuse(503, 'UNAVAILABLE', 'Sign-in is temporarily unavailable. Try again.');
  return json(
    status,
    {
      code: typeof code === 'string' ? code : (CODES[status] ?? 'BAD_REQUEST'),
      message: typeof message === 'string' ? message : 'The request is not valid.',
    },
    headers,
  );
}

const CODES: Readonly<Record<number, string>> = {
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  429: 'TOO_MANY_REQUESTS',
};

function refuse(status: number, code: string, message: string): Response {
  return json(status, { code, message });
}

function json(status: number, body: unknown, headers = new Headers()): Response {
  headers.set('content-type', 'application/json');
  headers.set('cache-control', 'no-store');
  return new Response(JSON.stringify(body), { status, headers });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
