import type { DeskAccountDetail } from './accounts.ts';
import type { AuditEntry } from './audit.ts';
import type { DeskModelDetail } from './models.ts';
import type { DeskBody, DeskOperationId, DeskParams, DeskQuery, DeskResponse } from './operations.ts';

/** What a call of an operation looks like: for documentation, tests and pages that are drawn before there is data. */
export type DeskExample<K extends DeskOperationId> = {
  readonly response: DeskResponse<K>;
} & Field<'params', DeskParams<K>> &
  Field<'query', DeskQuery<K>> &
  Field<'body', DeskBody<K>>;
type Field<N extends string, T> = [T] extends [undefined] ? unknown : { readonly [P in N]: T };

const ACCOUNT = '0198a1b0-1f00-7c44-9d10-7a1be2c3d401';
const GENERATION = '0198a1c3-0d4f-7b62-a3f8-51c7e9d20b14';
const PERSON = '0198a1af-9e10-7d3b-8b47-2f6c0a9e1d57';
const AT = '2026-01-05T09:31:00.000Z';
const REASON = 'Invoice 2026-1107';

const audit: AuditEntry = {
  id: 41,
  at: AT,
  actor: `person ${PERSON}`,
  person: 'maren@example.com',
  action: 'coins.granted',
  accountId: ACCOUNT,
  detail: { transferId: 7, coins: 5_000, reason: REASON },
};

const account: DeskAccountDetail = {
  id: ACCOUNT,
  mode: 'live',
  name: 'Northlight Studio',
  available: 12_476,
  held: 40,
  runLimit: 8,
  locked: false,
  raisedLimit: 16,
  rateLimit: 300,
  lockedReason: null,
  createdAt: '2025-03-02T08:00:00.000Z',
  members: [{ personId: PERSON, name: 'Ines Okafor', email: 'ines@northlight.example', role: 'owner' }],
  transfers: [
    {
      id: 7,
      kind: 'grant',
      debit: 'issued',
      credit: 'available',
      amount: 5_000,
      generationId: null,
      actor: `person ${PERSON}`,
      reason: REASON,
      createdAt: AT,
    },
  ],
  audit: [audit],
};
const {
  raisedLimit: _r,
  rateLimit: _l,
  lockedReason: _k,
  createdAt: _c,
  members: _m,
  transfers: _t,
  audit: _a,
  ...listed
} = account;

const model: DeskModelDetail = {
  id: 'canvas',
  name: 'Canvas',
  closedBy: null,
  served: true,
  priceFrom: 7,
  pricedHere: false,
  generations: 3_104,
  capturedCoins: 24_870,
  costCoins: 9_312,
  price: { perOutput: 7, lines: [{ label: 'Large picture', coins: 5, when: { resolution: '2k' } }] },
  catalogPrice: { perOutput: 7, lines: [{ label: 'Large picture', coins: 5, when: { resolution: '2k' } }] },
  params: ['prompt', 'resolution', 'num_outputs'],
  routes: [{ target: 'openai/images', offered: true, costCoins: 3, outputs: 3_104 }],
};
const { price: _p, catalogPrice: _cp, params: _pa, routes: _ro, ...listedModel } = model;

const switches = { maintenance: null, closedChannels: ['mcp'], closedModels: ['clip-restyle'] };
const moved = { transferId: 7, available: 12_476, repeated: false };
const ofAccount = { accountId: ACCOUNT };
const ofModel = { modelId: 'canvas' };

export const deskExamples: { readonly [K in DeskOperationId]: DeskExample<K> } = {
  getOverview: {
    response: {
      at: AT,
      ...switches,
      pools: [{ pool: 'run-local', waiting: 3, queued: 31, processing: 8, oldestSeconds: 9.2 }],
      workers: [
        {
          worker: 'w1',
          seenAt: AT,
          targets: ['local/modnet'],
          unavailable: [{ kind: 'engine', name: 'kokoro', reason: 'missing weights' }],
        },
      ],
      failures: [{ code: 'timeout', modelId: 'canvas', count: 7, lastAt: AT, message: 'deadline exceeded' }],
      failed: 41,
      stuck: [
        {
          generationId: GENERATION,
          accountId: ACCOUNT,
          modelId: 'clip-maker',
          pool: 'run-remote',
          reason: 'no_worker',
          since: AT,
        },
      ],
      openHoldCoins: 420,
      deliveryLagSeconds: 0,
    },
  },
  searchAccounts: { query: { search: 'north' }, response: { items: [listed] } },
  getDeskAccount: { params: ofAccount, response: account },
  grantCoins: { params: ofAccount, body: { coins: 5_000, reason: REASON, reference: 'inv-1107' }, response: moved },
  adjustCoins: { params: ofAccount, body: { coins: -5, reason: 'Chargeback' }, response: moved },
  lockAccount: {
    params: ofAccount,
    body: { locked: true, reason: 'Stolen card' },
    response: { ...account, locked: true, lockedReason: 'Stolen card' },
  },
  setLimits: {
    params: ofAccount,
    body: { runLimit: 12, raisedLimit: null, rateLimit: 600, reason: 'Contract' },
    response: { ...account, runLimit: 12, raisedLimit: null, rateLimit: 600 },
  },
  listDeskModels: { response: { items: [listedModel], sampled: 20_000 } },
  getDeskModel: { params: ofModel, response: model },
  tryPrice: {
    params: ofModel,
    body: { price: { perOutput: 8 }, mode: 'live', last: 500 },
    response: {
      generations: 498,
      skipped: 2,
      since: '2026-01-03T11:00:00.000Z',
      capturedCoins: 3_990,
      newCoins: 4_488,
      costCoins: 1_494,
      dearer: 498,
      cheaper: 0,
      unchanged: 0,
      accounts: 37,
      largest: [{ generationId: GENERATION, capturedCoins: 28, newCoins: 32 }],
    },
  },
  publishPrice: {
    params: ofModel,
    body: { price: { perOutput: 8 }, reason: 'Vendor raised its price' },
    response: { ...model, price: { perOutput: 8 }, priceFrom: 8, pricedHere: true },
  },
  setCosts: { params: ofModel, body: { costs: { 'openai/images': 3 }, reason: 'New contract' }, response: model },
  closeModel: {
    params: ofModel,
    body: { closed: true, reason: 'Output quality' },
    response: { ...model, closedBy: 'switch' },
  },
  getSwitches: { response: switches },
  setMaintenance: {
    body: { message: 'Back at 10:00 UTC', reason: 'Database upgrade' },
    response: { ...switches, maintenance: 'Back at 10:00 UTC' },
  },
  closeChannel: {
    params: { channel: 'web' },
    body: { closed: true, reason: 'Incident' },
    response: { ...switches, closedChannels: ['mcp', 'web'] },
  },
  findRequest: {
    query: { id: GENERATION },
    response: {
      requests: [
        {
          id: '5f0c7c1e-8d0a-4a55-9a30-0d5c5a1d6a11',
          accountId: ACCOUNT,
          keyId: null,
          channel: 'api',
          operation: 'createGeneration',
          status: 201,
          code: null,
          issuePaths: [],
          generationId: GENERATION,
          createdAt: AT,
        },
      ],
      generation: {
        id: GENERATION,
        accountId: ACCOUNT,
        modelId: 'canvas',
        status: 'failed',
        pool: 'run-remote',
        attempt: 1,
        worker: 'worker-1',
        target: 'comfyui/studio',
        errorCode: 'internal',
        coinsQuoted: 7,
        coinsCharged: 0,
        createdAt: AT,
        startedAt: AT,
        completedAt: AT,
      },
      failures: [
        {
          attempt: 1,
          target: 'comfyui/studio',
          code: 'internal',
          decision: 'fail',
          message: 'CUDA out of memory',
          createdAt: AT,
        },
      ],
    },
  },
  listFailures: {
    query: { code: 'timeout' },
    response: {
      items: [
        {
          id: 3,
          generationId: GENERATION,
          accountId: ACCOUNT,
          accountName: 'Northlight Studio',
          modelId: 'canvas',
          attempt: 2,
          target: 'openai/images',
          code: 'timeout',
          decision: 'fail',
          message: 'deadline exceeded',
          createdAt: AT,
        },
      ],
    },
  },
  checkBooks: {
    response: {
      checkedAt: AT,
      checks: [{ id: 'I1', claim: 'balances equal their transfers', violations: 0, first: [], durationMs: 12 }],
    },
  },
  listAudit: { query: { before: 100 }, response: { items: [audit], nextBefore: null } },
};
