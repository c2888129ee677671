import { type ProblemBody, type ProblemCode, problems } from '@atelier/contract';
import {
  assets,
  attempts,
  deliveries,
  edited,
  endpoints,
  events,
  generations,
  invitations,
  keys,
  LIVE,
  members,
  NEW_SECRET,
  newKey,
  pairing,
  session,
  solid,
  transcript,
} from './demo-data.ts';
import { budgets, ledger, MANUAL, packages, purchase, usage } from './demo-money.ts';
import { answerDesk } from './desk-demo.ts';
import { loadModels } from './load-models.ts';

const catalog = await loadModels();

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const ok = (body: unknown): Answer => ({ status: 200, body });

function problem(code: ProblemCode, detail: string): Answer {
  const { status, title } = problems[code];
  const body = { type: `/problems/${code}`, title, status, detail, code, instance: 'req_0198a1c3' } as ProblemBody;
  return { status, body };
}

/** Cookies choose what the double shows: nobody is signed in, an account without data, or a server that fails. */
export const SIGNED_OUT = 'demo=signed-out';
export const EMPTY = 'demo=empty';
export const BROKEN = 'demo=broken';
/** Nobody is signed in, and nobody can sign up without an invitation. */
export const INVITED = 'demo=signed-out-invited';
/** The sign-in was too long ago to create a key. */
export const STALE = 'demo=stale';

const AUTH: Readonly<Record<string, unknown>> = {
  '/get-session': { session: { id: 's1' }, user: { email: session.person.email, twoFactorEnabled: false } },
  '/list-sessions': [
    {
      id: 's1',
      token: 's1',
      createdAt: events[0]!.createdAt,
      updatedAt: events[0]!.createdAt,
      ipAddress: '203.0.113.7',
      userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/156.0 Safari/537.36',
    },
    {
      id: 's2',
      token: 's2',
      createdAt: events[4]!.createdAt,
      updatedAt: events[4]!.createdAt,
      ipAddress: '203.0.113.41',
      userAgent: 'Mozilla/5.0 (iPhone) Safari/604.1',
    },
  ],
  '/passkey/list-user-passkeys': [{ id: 'p1', name: 'Work laptop', createdAt: events[5]!.createdAt }],
  '/sign-up/email': { token: null, user: { emailVerified: false } },
  '/request-password-reset': { status: true },
  '/sign-in/email': { twoFactorRedirect: true },
  '/two-factor/enable': {
    totpURI: 'otpauth://totp/Atelier:ines?secret=JBSWY3DPEHPK3PXP&issuer=Atelier',
    backupCodes: ['k7Qm2-9fXwA', 'pT4bn-0sLuE', 'Zc8yH-5vRdK', 'g3WqJ-6mNtV'],
  },
};

const WRONG_ADDRESS = 'The invitation was sent to another email address. Sign in with that address.';

const balance = { available: 12_476, held: 40 };
const account = {
  balance,
  concurrency: { limit: 8, raisedLimit: null, running: 1, queued: 1 },
  rateLimits: { key: { limit: 100, windowSeconds: 60 }, account: { limit: 500, windowSeconds: 60 } },
  key: null,
  channel: 'web',
};

const detail = {
  ...deliveries[0]!,
  attempts,
  request: {
    exact: true,
    method: 'POST',
    url: endpoints[0]!.url,
    headers: {
      'Service-Signature': `t=1794768133,v1=${'9e167314b2f99959'.repeat(4)}`,
      'Service-Event-Id': deliveries[0]!.eventId,
      'Service-Event-Type': 'generation.succeeded',
    },
    body: JSON.stringify({ id: deliveries[0]!.eventId, type: 'generation.succeeded', data: { generation: edited } }),
  },
};

/** The answer of the double to a request of the pages. */
export function answerDemo(method: string, url: URL, cookie: string): Answer {
  const path = url.pathname;
  if (path.startsWith('/api/auth/')) return ok(AUTH[path.slice('/api/auth'.length)] ?? {});
  if (path === '/api/sign-in') return ok({ oidc: true, signUp: cookie.includes(INVITED) ? 'invited' : 'open' });
  if (cookie.includes(SIGNED_OUT)) return problem('sign_in_required', 'You are not signed in.');
  if (path === '/api/session') return ok(session);
  if (path === '/api/programs') return ok({ name: 'Desk agent', destination: '127.0.0.1' });
  if (path === '/api/pairings/find') {
    if (cookie.includes(BROKEN)) return problem('not_found', 'The code is wrong, has expired or was already used.');
    return ok(pairing);
  }
  if (path === '/api/pairings/deny') return ok(pairing);
  if (path === '/api/invitations/accept') return problem('not_found', WRONG_ADDRESS);
  if (path.startsWith('/api/desk/')) {
    if (cookie.includes(BROKEN)) return problem('unavailable', 'The database does not answer.');
    return ok(answerDesk(`${method} ${path.slice('/api/desk'.length)}`, cookie.includes(EMPTY)));
  }
  const [, accountId = '', rest = ''] = /^\/api\/accounts\/([^/]+)(\/.*)$/.exec(path) ?? [];
  if (rest === '/v1/account') return ok(account);
  if (cookie.includes(BROKEN)) return problem('unavailable', 'The database does not answer.');
  if (cookie.includes(STALE) && method === 'POST') {
    return problem('reauthentication_required', 'Sign in again to continue.');
  }
  const isEmpty = cookie.includes(EMPTY) || accountId !== LIVE;
  const { searchParams } = url;
  return answerAccount(`${method} ${rest}`, {
    isEmpty,
    status: searchParams.get('status'),
    modelId: searchParams.get('modelId'),
  });
}

function answerAccount(
  route: string,
  options: { isEmpty: boolean; status: string | null; modelId: string | null },
): Answer {
  const list = <T>(items: readonly T[]) => ok({ items: options.isEmpty ? [] : items, nextCursor: null });
  const id = route.split('/').at(-1) ?? '';
  const byId = <T extends { id: string }>(items: readonly T[]) => {
    const found = items.find((item) => item.id === id);
    return found === undefined ? problem('not_found', 'There is no such object.') : ok(found);
  };
  if (route === 'GET /keys') return list(keys);
  if (route === 'POST /keys') return { status: 201, body: { key: newKey, secret: NEW_SECRET } };
  if (route === 'POST /pairings/approve') return ok(pairing);
  if (route === 'GET /ledger') return list(ledger);
  if (route === 'GET /budgets') {
    return ok({ month: events[0]!.createdAt.slice(0, 7), items: options.isEmpty ? [] : budgets, isComplete: true });
  }
  if (route === 'POST /budgets') return { status: 201, body: budgets[0] };
  if (route === 'GET /coin-packages') return ok(options.isEmpty ? MANUAL : packages);
  if (route === 'POST /checkouts')
    return problem('unavailable', 'The payment provider does not answer. Nothing was charged.');
  if (route.startsWith('GET /checkouts/')) return ok(purchase(id));
  if (route === 'GET /usage') return ok(options.isEmpty ? { ...usage, total: { coins: 0, generations: 0 } } : usage);
  if (route === 'GET /members') return ok({ items: members });
  if (route === 'GET /invitations') return list(invitations);
  if (route === 'GET /webhooks') return list(endpoints);
  if (route === 'POST /webhooks') {
    return { status: 201, body: { endpoint: endpoints[0], secret: 'whsec_dGVzdC12ZWN0b3Itc2VjcmV0LW5vdC1mb3ItdXNl' } };
  }
  if (route.endsWith('/explain-signature')) {
    const sentence =
      'The body was pretty-printed. Check the raw bytes of the request, before any JSON parser touches them.';
    return ok({
      verdict: 'changed_body',
      sentence,
      findings: [{ verdict: 'changed_body', sentence }],
      comparedWith: { deliveryId: deliveries[0]!.id, round: 1, n: 3 },
    });
  }
  if (route.endsWith('/deliveries')) {
    return list(deliveries.filter(({ status }) => options.status === null || status === options.status));
  }
  if (route.startsWith('GET /webhooks/')) return byId(endpoints);
  if (route.startsWith('GET /deliveries/')) {
    const found = deliveries.find((each) => each.id === id) ?? deliveries[0]!;
    return ok(found.id === detail.id ? detail : { ...detail, ...found, attempts: [found.lastAttempt].filter(Boolean) });
  }
  if (route === 'GET /v1/generations') {
    return list(generations.filter(({ modelId }) => options.modelId === null || modelId === options.modelId));
  }
  if (route.startsWith('GET /v1/generations/')) return byId([...generations, solid, transcript]);
  if (route.startsWith('GET /v1/assets/')) return byId(assets);
  if (route === 'GET /events') return list(events);
  if (route === 'GET /v1/models') return ok({ models: catalog.models });
  if (route === 'GET /v1/effects') return ok({ effects: catalog.effects });
  if (route === 'POST /v1/uploads') return { status: 201, body: assets[0] };
  if (route === 'POST /v1/generations') return { status: 201, body: generations[1] };
  if (route === 'POST /v1/quotes') {
    return ok({
      coins: 4,
      coinsPerOutput: 4,
      outputs: 1,
      availableCoins: balance.available,
      lines: [
        { label: 'Base price', coins: 3 },
        { label: 'Picture size', coins: 1 },
      ],
    });
  }
  return problem('not_found', 'Path not found.');
}
