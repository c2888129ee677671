import { findAccount } from '@atelier/server/domain/accounts/accounts.store.ts';
import { findOutputs, findOutputsOfAccounts } from '@atelier/server/domain/assets/assets.store.ts';
import { deleteExpired } from '@atelier/server/domain/assets/bucket/retention.store.ts';
import { sumUploads } from '@atelier/server/domain/assets/uploads/storage-quota.store.ts';
import {
  deleteOldEvents,
  findEvents,
  findEventsBefore,
  findEventsOfReaders,
  findLiveGenerations,
} from '@atelier/server/domain/events/events.store.ts';
import { clearOldGenerations, countLive, eraseBatch } from '@atelier/server/domain/generations/erasure.store.ts';
import {
  cancelRow,
  findGeneration,
  findGenerationRows,
  findGenerationRowsOfAccounts,
  findSubmitter,
  submitGeneration,
} from '@atelier/server/domain/generations/generations.store.ts';
import { findGenerations, type ListFilter } from '@atelier/server/domain/generations/read/generation-list.store.ts';
import { deleteOldRunFailures, findAnyGeneration } from '@atelier/server/domain/generations/run/run-failures.store.ts';
import {
  findQueue,
  findStuck,
  findUntaken,
  settleRow,
  settleRows,
  takeRows,
  updateProgress,
} from '@atelier/server/domain/generations/run/runs.store.ts';
import { submissionOf } from '@atelier/server/domain/generations/testing/create-money-path.ts';
import { findLedgerRows, findTransfers } from '@atelier/server/domain/ledger/ledger.store.ts';
import { countUsage, findUsage, hasPendingUsage } from '@atelier/server/domain/ledger/usage/usage.store.ts';
import { findBacklog, findPoolState } from '@atelier/server/domain/operator/open-work.store.ts';
import {
  deleteOldTests,
  findDeliveryLog,
  findStuckDeliveries,
} from '@atelier/server/domain/webhooks/deliveries/deliveries.store.ts';
import { eraseDeliveryBatch } from '@atelier/server/domain/webhooks/deliveries/delivery-erasure.store.ts';
import { findFailingEndpoints, stopDeliveries } from '@atelier/server/domain/webhooks/endpoints/endpoints.store.ts';
import type { Db, Tx } from '@atelier/server/platform/db.ts';
import type pg from 'pg';
import { endpointOf } from './seed-history.ts';

/** The account that a statement is asked for, and rows of it. */
export interface Subject {
  readonly accountId: string;
  /** A page of generations that ended. */
  readonly pageIds: readonly string[];
  /** The last row of that page, as a cursor names it. */
  readonly middle: { readonly createdAt: string; readonly id: string };
  readonly runningId: string;
  readonly queuedId: string;
  /** Admitted generations of many accounts. */
  readonly admittedIds: readonly string[];
  readonly deliveryId: string;
}

export async function findSubject(client: pg.ClientBase, accountId: string): Promise<Subject> {
  const read = async <R extends pg.QueryResultRow>(text: string, values: unknown[] = [accountId]) =>
    (await client.query<R>(text, values)).rows;
  const page = await read<{ id: string; at: string }>(
    `SELECT id, created_at::text AS at FROM generation WHERE account_id = $1 AND completed_at IS NOT NULL
     ORDER BY created_at DESC, id DESC OFFSET 20 LIMIT 30`,
  );
  const last = page.at(-1) as { id: string; at: string };
  const one = async (status: string) =>
    (
      await read<{ id: string }>(
        'SELECT id FROM generation WHERE account_id = $1 AND completed_at IS NULL AND status = $2 ORDER BY created_at DESC LIMIT 1',
        [accountId, status],
      )
    )[0]?.id as string;
  const admitted = await read<{ id: string }>(
    `SELECT id FROM generation WHERE completed_at IS NULL AND admitted AND status = 'queued' ORDER BY created_at DESC LIMIT 20`,
    [],
  );
  const [delivery] = await read<{ id: string }>(
    'SELECT id FROM delivery WHERE account_id = $1 ORDER BY created_at DESC OFFSET 40 LIMIT 1',
  );
  return {
    accountId,
    pageIds: page.map(({ id }) => id),
    middle: { createdAt: last.at, id: last.id },
    runningId: await one('processing'),
    queuedId: await one('queued'),
    admittedIds: admitted.map(({ id }) => id),
    deliveryId: delivery?.id as string,
  };
}

export interface GrowthStatement {
  readonly name: string;
  readonly call: (db: Db & Tx, of: Subject) => Promise<unknown>;
}

const PAGE = 31;
/** Rows of one batch of a sweep, which reads and writes as many. */
const BATCH = 10;
const LIMIT = 10_000;

const row = (name: string, call: GrowthStatement['call']): GrowthStatement => ({ name, call });
const list = (name: string, filter: ListFilter, paged = false): GrowthStatement =>
  row(`list ${name}`, (db, of) =>
    findGenerations(db, { accountId: of.accountId, filter, limit: PAGE, after: paged ? of.middle : null }),
  );

/** Every filter alone, pairs and triples with and without rows, and a later page. */
const lists: readonly GrowthStatement[] = [
  list('all', {}),
  list('all, later page', {}, true),
  list('active', { active: true }),
  list('queued', { status: 'queued' }),
  list('processing', { status: 'processing' }),
  list('succeeded', { status: 'succeeded' }),
  list('succeeded, later page', { status: 'succeeded' }, true),
  list('failed', { status: 'failed' }),
  list('canceled', { status: 'canceled' }),
  list('image', { modality: 'image' }),
  list('audio', { modality: 'audio' }),
  list('3d: none', { modality: '3d' }),
  list('workspace tools', { workspace: 'tools' }),
  list('workspace 3d: none', { workspace: '3d' }),
  list('model', { modelId: 'canvas' }),
  list('unknown model: none', { modelId: 'unknown' }),
  list('failed audio: none', { status: 'failed', modality: 'audio' }),
  list('canceled video, later page', { status: 'canceled', modality: 'video' }, true),
  list('video in tools: none', { modality: 'video', workspace: 'tools' }),
  list('failed video in video', { status: 'failed', modality: 'video', workspace: 'video' }),
  list('failed by model', { status: 'failed', modelId: 'clip' }),
  list('failed by model: none', { status: 'failed', modelId: 'song' }),
  list('model in other modality: none', { modelId: 'canvas', modality: 'video' }),
  list('model in other workspace: none', { modelId: 'canvas', workspace: 'tools', status: 'succeeded' }),
  list('active audio: none', { active: true, modality: 'audio' }),
  list('queued in tools: none', { status: 'queued', workspace: 'tools' }),
  list('queued by model: none', { status: 'queued', modelId: 'clip' }),
  list('processing audio: none', { status: 'processing', modality: 'audio' }),
  list('processing by model: none', { status: 'processing', modelId: 'clip' }),
];

const requests: readonly GrowthStatement[] = [
  row('submit', (db, { accountId }) => submitGeneration(db, submissionOf({ accountId, keyId: '' }, { keyId: null }))),
  row('repeat of a submit', (db, { accountId }) => findSubmitter(db, { accountId, idempotencyKey: 'live-1' })),
  row('cancel', (db, of) => cancelRow(db, { accountId: of.accountId, id: of.queuedId })),
  row('take 20', (db, of) => takeRows(db, { ids: of.admittedIds, worker: 'bench', models: [] })),
  row('untaken 20', (db, of) => findUntaken(db, of.admittedIds)),
  row('progress', (db, of) => updateProgress(db, { id: of.runningId, attempt: 1, progress: 0.5 })),
  row('settle', (db, of) =>
    settleRow(db, {
      id: of.runningId,
      attempt: 1,
      error: 'internal',
      assets: [],
      retentionDays: 1,
    }),
  ),
  row('settle, content policy', (db, of) =>
    settleRow(db, {
      id: of.runningId,
      attempt: 1,
      error: 'content_policy',
      assets: [],
      retentionDays: 1,
    }),
  ),
  row('settle a batch', (db, of) =>
    settleRows(db, [
      {
        id: of.runningId,
        attempt: 1,
        error: 'internal',
        assets: [],
        retentionDays: 1,
      },
    ]),
  ),
  row('get', (db, of) => findGeneration(db, { accountId: of.accountId, id: of.pageIds[0] as string })),
  row('get queued', (db, of) => findGeneration(db, { accountId: of.accountId, id: of.queuedId })),
  row('get 30', (db, of) => findGenerationRows(db, { accountId: of.accountId, ids: of.pageIds })),
  row('get 30 of accounts', (db, of) => findGenerationRowsOfAccounts(db, pairs(of))),
  row('outputs of a page', (db, of) => findOutputs(db, { accountId: of.accountId, generationIds: of.pageIds })),
  row('outputs of accounts', (db, of) => findOutputsOfAccounts(db, pairs(of))),
  row('account, concurrency', (db, { accountId }) => findAccount(db, accountId)),
  row('storage quota', (db, { accountId }) => sumUploads(db, accountId)),
  row('events', (db, { accountId }) => findEvents(db, { accountId, after: FEED_START, limit: BATCH })),
  row('newest events', (db, { accountId }) => findEventsBefore(db, { accountId, before: FEED_END, limit: BATCH })),
  row('events of readers', (db, { accountId }) =>
    findEventsOfReaders(db, { readers: [{ accountId, after: FEED_START }], limitEach: BATCH }),
  ),
  row('live generations of a stream', (db, { accountId }) =>
    findLiveGenerations(db, { accountIds: [accountId], limitEach: 50 }),
  ),
];

const deliveries: readonly GrowthStatement[] = [
  ...([null, 'delivered', 'failed', 'stopped', 'held', 'pending'] as const).map((status) =>
    row(`deliveries ${status ?? 'all'}`, (db, { accountId }) =>
      findDeliveryLog(db, { accountId, endpointId: endpointOf(accountId), status, beforeId: null, limit: PAGE }),
    ),
  ),
  row('deliveries all, later page', (db, { accountId, deliveryId }) =>
    findDeliveryLog(db, {
      accountId,
      endpointId: endpointOf(accountId),
      status: null,
      beforeId: deliveryId,
      limit: PAGE,
    }),
  ),
  row('stop deliveries of an endpoint', (db, { accountId }) =>
    stopDeliveries(db, { accountId, endpointId: endpointOf(accountId), reason: '', statuses: ['pending', 'held'] }),
  ),
];

const sweeps: readonly GrowthStatement[] = [
  row('sweep stuck generations', (db) => findStuck(db, 500)),
  row('sweep stuck deliveries', (db) => findStuckDeliveries(db, { overdueSeconds: 60, limit: 500 })),
  row('sweep failing endpoints', (db) => findFailingEndpoints(db, { days: 5, limit: 100 })),
  row('sweep 10 old events', (db) => deleteOldEvents(db, { days: 30, limit: BATCH })),
  row('sweep 10 old failures', (db) => deleteOldRunFailures(db, { days: 30, limit: BATCH })),
  row('sweep 10 expired files', (db) => deleteExpired(db, { limit: BATCH, deletable: ['cell-c1/seed/'] })),
  row('sweep old tests', (db) => deleteOldTests(db, { days: 30, limit: BATCH })),
  row('clear 10 old generations', (db) => clearOldGenerations(db, { days: 30, limit: BATCH })),
  row('erase 10 generations', (db, { accountId }) => eraseBatch(db, { accountId, after: HISTORY_START, limit: BATCH })),
  row('erase 10 deliveries', (db, { accountId }) =>
    eraseDeliveryBatch(db, { accountId, endpointId: endpointOf(accountId), after: HISTORY_START, limit: BATCH }),
  ),
];

const operator: readonly GrowthStatement[] = [
  row('metrics of pools', (db) => findPoolState(db, { limit: LIMIT })),
  row('metrics of the backlog', (db) => findBacklog(db, { limit: LIMIT })),
  row('queue command', (db) => findQueue(db)),
  row('generation command', (db, of) => findAnyGeneration(db, of.pageIds[0] as string)),
  row('ledger', (db, { accountId }) => findLedgerRows(db, { accountId, before: null, limit: BATCH })),
  row('usage to count', (db, { accountId }) => hasPendingUsage(db, accountId)),
  row('count of usage', (db, { accountId }) => countUsage(db, { accountId, after: 0, limit: BATCH })),
  row('usage', (db, { accountId }) =>
    findUsage(db, { accountId, from: '2020-01-01', to: '2020-03-01', maxRows: LIMIT, maxGroups: 50 }),
  ),
  row('ledger command', (db, { accountId }) => findTransfers(db, { accountId, limit: BATCH })),
  row('live generations of an erasure', (db, { accountId }) => countLive(db, accountId)),
];

export const growthStatements: readonly GrowthStatement[] = [
  ...requests,
  ...lists,
  ...deliveries,
  ...sweeps,
  ...operator,
];

/** What a statement reads as a whole, by design. Its cost depends on this alone, not on the history. */
export const READ_AS_A_WHOLE: Readonly<Record<string, string>> = {
  'metrics of pools': 'open work',
  'metrics of the backlog': 'open work',
  'queue command': 'open work',
  'live generations of an erasure': 'open work',
  'storage quota': 'stored uploads',
};

const FEED_START = { epoch: 0, xid: '0', seq: 0 };
const FEED_END = { epoch: 1_000_000, xid: '0', seq: 0 };
const HISTORY_START = { createdAt: '-infinity', id: '00000000-0000-0000-0000-000000000000' };
const pairs = (of: Subject) => of.pageIds.map((id) => ({ accountId: of.accountId, id }));
