import { type AuditEntry, type DeskModel, deskExamples, type Overview } from '@atelier/contract/desk';
import { LIVE, NOW } from './demo-data.ts';

const MINUTE = 60_000;
const ago = (ms: number): string => new Date(NOW - ms).toISOString();
const idOf = (n: number): string => `0198a1c3-6127-7f3b-9c48-${String(n).padStart(12, '0')}`;

const overview: Overview = {
  at: ago(0),
  maintenance: null,
  closedChannels: ['mcp'],
  closedModels: ['clip-restyle'],
  pools: [
    { pool: 'run-local', waiting: 4, queued: 31, processing: 8, oldestSeconds: 9.4 },
    { pool: 'run-remote', waiting: 0, queued: 23, processing: 12, oldestSeconds: 371 },
    { pool: 'run-simulator', waiting: 0, queued: 0, processing: 2, oldestSeconds: null },
  ],
  workers: [
    {
      worker: 'fra-a-1',
      seenAt: ago(1_000),
      targets: ['local/modnet', 'local/kokoro', 'local/u2net', 'local/icon3d', 'openai/images'],
      unavailable: [],
    },
    {
      worker: 'fra-b-1',
      seenAt: ago(2_000),
      targets: ['local/modnet', 'local/u2net'],
      unavailable: [{ kind: 'engine', name: 'kokoro', reason: 'weights are missing: main.ts weights pull' }],
    },
  ],
  failed: 41,
  failures: [
    {
      code: 'unavailable',
      modelId: 'clip-maker',
      count: 19,
      lastAt: ago(6 * MINUTE),
      message: 'ProviderError: connect ECONNREFUSED gpu-3.internal:8188',
    },
    {
      code: 'content_policy',
      modelId: 'canvas',
      count: 11,
      lastAt: ago(22 * MINUTE),
      message: 'ProviderError: Your request was rejected by the safety system.',
    },
    {
      code: 'timeout',
      modelId: 'real-esrgan-x2',
      count: 7,
      lastAt: ago(130 * MINUTE),
      message: 'Error: 3600 s exceeded',
    },
  ],
  stuck: [
    {
      generationId: idOf(900),
      accountId: LIVE,
      modelId: 'clip-maker',
      pool: 'run-remote',
      reason: 'no_worker',
      since: ago(6 * MINUTE),
    },
  ],
  openHoldCoins: 4_218,
  deliveryLagSeconds: 0.4,
};

const { getDeskModel, getDeskAccount, searchAccounts, tryPrice, checkBooks, listFailures, findRequest } = deskExamples;
const model = (id: string, fields: Partial<DeskModel>): DeskModel => ({
  ...deskExamples.listDeskModels.response.items[0]!,
  id,
  ...fields,
});
const models = [
  model('canvas', {}),
  model('landscape-painter', { name: 'Landscape painter', generations: 2_217, capturedCoins: 7_902, costCoins: 611 }),
  model('clip-maker', { name: 'Clip maker', served: false, generations: 188, capturedCoins: 6_580, costCoins: 4_402 }),
  model('real-esrgan-x2', {
    name: 'Real-ESRGAN upscale',
    pricedHere: true,
    generations: 412,
    capturedCoins: 5_356,
    costCoins: 5_809,
  }),
  model('kokoro-82m', { name: 'Kokoro 82M', generations: 731, capturedCoins: 2_924, costCoins: null }),
  model('clip-restyle', {
    name: 'Video restyle',
    closedBy: 'switch',
    generations: 0,
    capturedCoins: 0,
    costCoins: null,
  }),
];

const entry = (n: number, fields: Partial<AuditEntry>): AuditEntry => ({
  id: 400 - n,
  at: ago(n * 40 * MINUTE),
  actor: `person ${idOf(3)}`,
  person: 'maren@atelier.example',
  action: 'coins.granted',
  accountId: LIVE,
  detail: { transferId: 7_112, coins: 5_000, reason: 'Invoice 2026-1107, paid by transfer' },
  ...fields,
});
const audit = [
  entry(0, {}),
  entry(1, {
    action: 'setting.changed',
    accountId: null,
    detail: { name: 'model.price.canvas', value: { perOutput: 7 }, reason: 'Vendor raised its price' },
  }),
  entry(2, {
    action: 'setting.changed',
    accountId: null,
    detail: { name: 'model.closed.clip-restyle', value: true, reason: 'Output quality, vendor ticket 4471' },
  }),
  entry(3, { action: 'account.locked', actor: 'operator root', person: null, detail: { reason: 'Stolen card' } }),
];

const failures = overview.failures.map(({ code, modelId, message }, n) => ({
  ...listFailures.response.items[0]!,
  id: 90 - n,
  code,
  modelId,
  message,
  accountId: LIVE,
  createdAt: ago((6 + n * 16) * MINUTE),
}));

const claims = [
  'the balance of an account equals its transfers',
  'every coin has exactly one place',
  'a hold is open exactly while its generation is',
];

const ANSWERS: Readonly<Record<string, unknown>> = {
  'GET /overview': overview,
  'GET /accounts': {
    items: [
      { ...searchAccounts.response.items[0]!, id: LIVE },
      { ...searchAccounts.response.items[0]!, id: idOf(6), name: 'Harbour Press', available: 310, held: 0 },
      { ...searchAccounts.response.items[0]!, id: idOf(8), name: 'Pixelfarm 22', available: -40, locked: true },
    ],
  },
  'GET /models': { items: models, sampled: 20_000 },
  'POST /models/canvas/try-price': tryPrice.response,
  'GET /switches': { maintenance: null, closedChannels: ['mcp'], closedModels: ['clip-restyle'] },
  'GET /failures': { items: failures },
  'GET /find': findRequest.response,
  'GET /books': {
    checkedAt: ago(0),
    checks: claims.map((claim, n) => ({
      ...checkBooks.response.checks[0]!,
      id: `I${n + 1}`,
      claim,
      violations: n === 2 ? null : 0,
      durationMs: 12 + 37 * n,
    })),
  },
  'GET /audit': { items: audit, nextBefore: 397 },
};

const EMPTY_ANSWERS: Readonly<Record<string, unknown>> = {
  'GET /overview': { ...overview, closedChannels: [], pools: [], workers: [], failures: [], failed: 0, stuck: [] },
  'GET /accounts': { items: [] },
  'GET /switches': { maintenance: null, closedChannels: [], closedModels: [] },
  'GET /failures': { items: [] },
  'GET /find': { requests: [], generation: null, failures: [] },
  'GET /audit': { items: [], nextBefore: null },
};

/** The answer of the double of the desk: `GET /overview`. */
export function answerDesk(route: string, isEmpty: boolean): unknown {
  const found = (isEmpty ? EMPTY_ANSWERS[route] : undefined) ?? ANSWERS[route];
  if (found !== undefined) return found;
  if (route.includes('/models/')) return getDeskModel.response;
  return {
    ...getDeskAccount.response,
    id: LIVE,
    transfers: getDeskAccount.response.transfers,
    audit: audit.slice(0, 1),
  };
}
