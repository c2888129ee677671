import type { Budget } from './budgets.ts';
import type { ConsoleKey } from './keys.ts';
import type { Member } from './members.ts';
import type { Transfer } from './money.ts';
import type { ConsoleBody, ConsoleOperationId, ConsoleParams, ConsoleQuery, ConsoleResponse } from './operations.ts';
import type { Pairing } from './pairings.ts';
import type { Attempt, Delivery, Endpoint } from './webhooks.ts';

/** What a call of an operation looks like: for documentation, tests and pages that are drawn before there is data. */
export type ConsoleExample<K extends ConsoleOperationId> = {
  readonly response: ConsoleResponse<K>;
} & Field<'params', ConsoleParams<K>> &
  Field<'query', ConsoleQuery<K>> &
  Field<'body', ConsoleBody<K>>;
type Field<N extends string, T> = [T] extends [undefined] ? unknown : { readonly [P in N]: T };

const LIVE = '0198a1b0-1f00-7c44-9d10-7a1be2c3d401';
const TEST = '0198a1b0-1f00-7c44-9d10-7a1be2c3d402';
const PAIR = '0198a1b0-1f00-7c44-9d10-7a1be2c3d400';
const KEY = '0198a1b2-40c8-7f00-8e55-1c9d03b7a210';
const ENDPOINT = '0198a1b4-0c3e-7a80-b1d2-55f0c7e9a6d1';
const DELIVERY = '0198a1c3-60d2-7e1a-9c05-8d1f4b7a2e33';
const EVENT = '0198a1c3-5f41-7b0c-8a26-3e9d7c5b1f08';
const GENERATION = '0198a1c3-0d4f-7b62-a3f8-51c7e9d20b14';
const PERSON = '0198a1af-9e10-7d3b-8b47-2f6c0a9e1d57';
const INVITATION = '0198a1b1-77c0-7e21-a9d4-0c3b5f7e9a12';
const BUDGET = '0198a1c0-77a0-7c12-9b31-2d5e8f0a4c61';
const CHECKOUT = '0198a1c0-3b10-7d55-8c21-6e4f9a7b2c10';
/** Not a real secret: every character is the same. */
const SECRET = `whsec_${'x'.repeat(43)}`;

const key: ConsoleKey = {
  id: KEY,
  name: 'Production server',
  prefix: 'atl_sk_a_live_Xk3P',
  last4: '9fQz',
  mode: 'live',
  scopes: ['generate', 'read', 'uploads'],
  monthlySpendCapCoins: 50_000,
  requestCapCoins: 100,
  spentThisMonthCoins: 12_480,
  status: 'active',
  createdAt: '2026-01-02T08:00:00.000Z',
  lastUsedAt: '2026-01-05T09:31:00.000Z',
  expiresAt: '2026-12-31T23:59:59.000Z',
  revokedAt: null,
};

const budget: Budget = {
  id: BUDGET,
  projectId: 'spring-catalogue',
  coins: 20_000,
  alertPercents: [50, 80, 100],
  spentCoins: 12_480,
  alertedPercent: 50,
  createdAt: '2026-01-02T08:00:00.000Z',
};

const pairing: Pairing = {
  userCode: 'WDJB-MJHT',
  deviceName: 'atelier on ada-laptop',
  scopes: ['generate', 'read'],
  monthlySpendCapCoins: 500,
  createdAt: '2026-01-19T14:00:00.000Z',
  expiresAt: '2026-01-19T14:10:00.000Z',
};

const member: Member = {
  personId: PERSON,
  name: 'Ada',
  email: 'ada@example.com',
  role: 'owner',
  joinedAt: '2026-01-02T08:00:00.000Z',
  isYou: true,
};

const endpoint: Endpoint = {
  id: ENDPOINT,
  url: 'https://example.com/webhooks/atelier',
  events: ['generation.succeeded', 'generation.failed'],
  keyId: null,
  status: 'active',
  statusReason: null,
  failingSince: null,
  createdAt: '2026-01-02T08:05:00.000Z',
  updatedAt: '2026-01-02T08:05:00.000Z',
};

const attempt: Attempt = {
  round: 1,
  n: 1,
  startedAt: '2026-01-05T09:31:02.400Z',
  finishedAt: '2026-01-05T09:31:02.583Z',
  ok: false,
  statusCode: 400,
  error: 'The endpoint answered 400.',
  latencyMs: 183,
  responseBody: '{"error":"invalid signature"}',
};

const delivery: Delivery = {
  id: DELIVERY,
  endpointId: ENDPOINT,
  eventId: EVENT,
  eventType: 'generation.succeeded',
  generationId: GENERATION,
  isTest: false,
  status: 'pending',
  reason: 'The endpoint answered 400.',
  createdAt: '2026-01-05T09:31:02.000Z',
  finishedAt: null,
  nextAttemptAt: '2026-01-05T09:31:07.583Z',
  attemptCount: 1,
  lastAttempt: attempt,
};

const detail: ConsoleResponse<'getDelivery'> = {
  ...delivery,
  attempts: [attempt],
  request: {
    exact: true,
    method: 'POST',
    url: endpoint.url,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Atelier-Webhooks/1',
      'X-Atelier-Signature': `t=1767605462,v1=${'5'.repeat(64)}`,
      'X-Atelier-Event-Id': EVENT,
      'X-Atelier-Event-Type': 'generation.succeeded',
    },
    body: `{"id":"${EVENT}","type":"generation.succeeded","createdAt":"2026-01-05T09:31:02.000Z","data":{"generation":{"id":"${GENERATION}"}}}`,
  },
};

const transfer: Transfer = {
  id: 81_203,
  createdAt: '2026-01-05T09:30:58.000Z',
  kind: 'hold',
  availableChange: -3,
  heldChange: 3,
  generationId: GENERATION,
  modelName: 'Landscape painter',
  projectId: null,
  reference: null,
};

const ofKey = { accountId: LIVE, keyId: KEY };
const ofEndpoint = { accountId: LIVE, endpointId: ENDPOINT };
const ofDelivery = { accountId: LIVE, deliveryId: DELIVERY };

export const consoleExamples: { readonly [K in ConsoleOperationId]: ConsoleExample<K> } = {
  getSession: {
    response: {
      person: { id: PERSON, email: 'ada@example.com', name: 'Ada' },
      memberships: [{ pairId: PAIR, name: 'Ada', role: 'owner', accountIds: { live: LIVE, test: TEST } }],
      signedInAt: '2026-01-05T09:20:00.000Z',
      freshUntil: '2026-01-05T09:35:00.000Z',
      apiUrl: 'https://api.example.com',
    },
  },
  getSignIn: { response: { oidc: false, signUp: 'invited' } },
  updateAccount: { params: { accountId: LIVE }, body: { name: 'Northlight' }, response: { name: 'Northlight' } },
  acceptInvitation: { body: { token: 'x'.repeat(43) }, response: { accountId: LIVE, role: 'developer' } },
  listMembers: { params: { accountId: LIVE }, response: { items: [member] } },
  setMemberRole: {
    params: { accountId: LIVE, personId: PERSON },
    body: { role: 'developer' },
    response: { items: [{ ...member, role: 'developer' }] },
  },
  removeMember: { params: { accountId: LIVE, personId: PERSON }, response: { items: [] } },
  listInvitations: {
    params: { accountId: LIVE },
    response: {
      items: [
        {
          id: INVITATION,
          email: 'grace@example.com',
          role: 'developer',
          createdAt: '2026-01-05T09:00:00.000Z',
          expiresAt: '2026-01-12T09:00:00.000Z',
        },
      ],
    },
  },
  createInvitation: {
    params: { accountId: LIVE },
    body: { email: 'grace@example.com', role: 'developer' },
    response: { id: INVITATION, expiresAt: '2026-01-12T09:00:00.000Z' },
  },
  revokeInvitation: {
    params: { accountId: LIVE, invitationId: INVITATION },
    response: { revokedId: INVITATION },
  },
  getProgram: {
    query: { clientId: 'p1.a.b.c', redirectUri: 'http://127.0.0.1:33418/callback' },
    response: { name: 'Desk agent', destination: '127.0.0.1' },
  },
  createAuthorization: {
    params: { accountId: LIVE },
    body: {
      clientId: 'p1.a.b.c',
      redirectUri: 'http://127.0.0.1:33418/callback',
      codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      state: 'x',
      scopes: ['generate', 'read'],
      monthlySpendCapCoins: 500,
    },
    response: {
      redirectTo: 'http://127.0.0.1:33418/callback?code=s1.a.b&state=x&iss=https%3A%2F%2Fconsole.example.com',
    },
  },
  listKeys: { params: { accountId: LIVE }, response: { items: [key] } },
  createKey: {
    params: { accountId: LIVE },
    body: {
      name: key.name,
      scopes: key.scopes,
      monthlySpendCapCoins: 50_000,
      requestCapCoins: 100,
      expiresAt: '2026-12-31T23:59:59.000Z',
    },
    response: {
      key: { ...key, spentThisMonthCoins: 0, lastUsedAt: null },
      secret: `atl_sk_a_live_Xk3P${'x'.repeat(28)}9fQz`,
    },
  },
  updateKey: { params: ofKey, body: { monthlySpendCapCoins: null }, response: { ...key, monthlySpendCapCoins: null } },
  revokeKey: {
    params: ofKey,
    response: { ...key, status: 'revoked', revokedAt: '2026-01-05T10:00:00.000Z' },
  },
  listEndpoints: { params: { accountId: LIVE }, response: { items: [endpoint] } },
  createEndpoint: {
    params: { accountId: LIVE },
    body: { url: endpoint.url, events: endpoint.events },
    response: { endpoint, secret: SECRET },
  },
  getEndpoint: { params: ofEndpoint, response: endpoint },
  updateEndpoint: {
    params: ofEndpoint,
    body: { events: ['generation.failed'] },
    response: { ...endpoint, events: ['generation.failed'] },
  },
  deleteEndpoint: { params: ofEndpoint, response: { deletedId: ENDPOINT } },
  pauseEndpoint: {
    params: ofEndpoint,
    response: { ...endpoint, status: 'paused', statusReason: 'Paused by the account.' },
  },
  resumeEndpoint: { params: ofEndpoint, response: endpoint },
  rotateSecret: { params: ofEndpoint, response: { secret: SECRET } },
  sendTestEvent: {
    params: ofEndpoint,
    body: { type: 'generation.succeeded' },
    response: { deliveryId: DELIVERY },
  },
  explainSignature: {
    params: ofEndpoint,
    body: { header: `t=1767605462,v1=${'5'.repeat(64)}`, body: '{"id": "..."}' },
    response: {
      verdict: 'changed_body',
      sentence:
        'The body was parsed and written again: same JSON, other bytes. Check the raw bytes of the request, before any JSON parser touches them.',
      findings: [
        {
          verdict: 'changed_body',
          sentence:
            'The body was parsed and written again: same JSON, other bytes. Check the raw bytes of the request, before any JSON parser touches them.',
        },
      ],
      comparedWith: { deliveryId: DELIVERY, round: 1, n: 1 },
    },
  },
  listDeliveries: {
    params: ofEndpoint,
    query: { status: 'pending', limit: 30 },
    response: { items: [delivery], nextCursor: null },
  },
  redeliverFailed: {
    params: ofEndpoint,
    body: { since: '2026-01-04T00:00:00.000Z' },
    response: { redelivered: 42, more: false },
  },
  getDelivery: { params: ofDelivery, response: detail },
  redeliver: {
    params: ofDelivery,
    response: { ...detail, reason: null, nextAttemptAt: '2026-01-05T10:00:00.000Z' },
  },
  listRecentEvents: {
    params: { accountId: LIVE },
    query: { limit: 30 },
    response: { items: [], nextCursor: null },
  },
  listLedger: {
    params: { accountId: LIVE },
    query: { limit: 50 },
    response: {
      items: [
        {
          ...transfer,
          id: 81_204,
          createdAt: '2026-01-05T09:31:02.000Z',
          kind: 'capture',
          availableChange: 0,
          heldChange: -3,
          availableAfter: 12_477,
        },
        { ...transfer, availableAfter: 12_477 },
      ],
      nextCursor: null,
    },
  },
  exportLedger: {
    params: { accountId: LIVE },
    query: { format: 'jsonl' },
    response: `${JSON.stringify(transfer)}\n`,
  },
  listBudgets: {
    params: { accountId: LIVE },
    response: { month: '2026-01', items: [budget], isComplete: true },
  },
  createBudget: {
    params: { accountId: LIVE },
    body: { projectId: 'spring-catalogue', coins: 20_000, alertPercents: [50, 80, 100] },
    response: budget,
  },
  updateBudget: {
    params: { accountId: LIVE, budgetId: BUDGET },
    body: { coins: 25_000 },
    response: { ...budget, coins: 25_000, alertedPercent: null },
  },
  deleteBudget: { params: { accountId: LIVE, budgetId: BUDGET }, response: { deletedId: BUDGET } },
  createPairing: {
    body: { deviceName: 'atelier on ada-laptop', scopes: ['generate', 'read'], monthlySpendCapCoins: 500 },
    response: {
      userCode: 'WDJB-MJHT',
      deviceSecret: 'x'.repeat(43),
      pairUrl: 'https://console.example.com/pair',
      expiresAt: '2026-01-19T14:10:00.000Z',
      intervalSeconds: 5,
    },
  },
  redeemPairing: { body: { deviceSecret: 'x'.repeat(43) }, response: { status: 'pending' } },
  findPairing: { body: { userCode: 'WDJB-MJHT' }, response: pairing },
  denyPairing: { body: { userCode: 'wdjb mjht' }, response: pairing },
  approvePairing: {
    params: { accountId: LIVE },
    body: { userCode: 'WDJB-MJHT', monthlySpendCapCoins: 200 },
    response: { ...pairing, monthlySpendCapCoins: 200 },
  },
  listCoinPackages: {
    params: { accountId: LIVE },
    response: {
      driver: 'stripe',
      currency: 'usd',
      packages: [{ id: '1000-1000', amount: 1_000, coins: 1_000 }],
      contact: 'billing@example.com',
    },
  },
  createCheckout: {
    params: { accountId: LIVE },
    body: { packageId: '1000-1000' },
    response: { id: CHECKOUT, url: 'https://checkout.stripe.com/c/pay/cs_test_a1' },
  },
  getCheckout: {
    params: { accountId: LIVE, checkoutId: CHECKOUT },
    response: {
      id: CHECKOUT,
      status: 'paid',
      amount: 1_000,
      currency: 'usd',
      coins: 1_000,
      createdAt: '2026-01-05T09:20:00.000Z',
    },
  },
  getUsage: {
    params: { accountId: LIVE },
    query: { from: '2026-01-01', to: '2026-01-05' },
    response: {
      from: '2026-01-01',
      to: '2026-01-05',
      total: { coins: 3, generations: 1 },
      days: [{ day: '2026-01-05', coins: 3, generations: 1 }],
      models: [{ id: 'landscape-painter', name: 'Landscape painter', coins: 3, generations: 1 }],
      keys: [{ id: KEY, name: key.name, coins: 3, generations: 1 }],
      projects: [{ id: null, name: null, coins: 3, generations: 1 }],
      isComplete: true,
    },
  },
};
