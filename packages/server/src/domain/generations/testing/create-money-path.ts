import { randomBytes, randomUUID } from 'node:crypto';
import { type EventType, type FailureCode, SCOPES } from '@atelier/contract';
import type { EndpointEvent } from '@atelier/contract/console';
import { type Db, withStatementTx, withTx } from '../../../platform/db.ts';
import { newId } from '../../../platform/ids.ts';
import { createAccount } from '../../accounts/create-account.ts';
import { createApiKey } from '../../accounts/create-api-key.ts';
import { grantCoins } from '../../ledger/grant-coins.ts';
import { cancelRow, type Submission, type SubmitOutcome, submitGeneration } from '../generations.store.ts';
import {
  type OutputAsset,
  type RunRow,
  type Settlement,
  type SettleOutcome,
  setRunLimitRow,
  settleRow,
  settleRows,
  takeRows,
} from '../run/runs.store.ts';

export const COINS_PER_OUTPUT = 7;
const RETENTION_DAYS = 90;
export const EVERY_EVENT: EventType[] = ['generation.succeeded', 'generation.failed', 'generation.canceled'];

export interface PathAccount {
  readonly accountId: string;
  readonly keyId: string;
}

export interface GenerationFacts {
  readonly status: string;
  readonly admitted: boolean;
  readonly attempt: number;
  readonly coins_charged: number | null;
  readonly error_code: string | null;
}

export interface PathSubmission extends Partial<Submission> {
  readonly outputs?: number;
}

/** How a run ended: with outputs, one unless given, or with an error. */
export interface PathEnd {
  readonly outputs?: number;
  readonly error?: FailureCode;
}

export const newFingerprint = () => randomBytes(32);

/** An output as stored by a worker. */
export function sampleOutput(position: number): OutputAsset {
  const id = newId();
  return {
    id,
    position,
    kind: 'image',
    mime_type: 'image/png',
    bytes: 100,
    sha256: randomBytes(32).toString('hex'),
    width: 8,
    height: 8,
    duration_seconds: null,
    transparent: null,
    stem: null,
    object_key: `outputs/${id}`,
    variants: { thumbnail: { key: `outputs/${id}.webp`, bytes: 10, mimeType: 'image/webp' } },
  };
}

/** A submit of `outputs` outputs at 7 coins each, with a new idempotency key. */
export function submissionOf(account: PathAccount, given: PathSubmission = {}): Submission {
  const outputs = given.outputs ?? 1;
  return {
    id: newId(),
    accountId: account.accountId,
    keyId: account.keyId,
    channel: 'api',
    idempotencyKey: randomUUID(),
    fingerprint: newFingerprint(),
    modelId: 'canvas',
    modelName: 'Canvas',
    taskType: 'image.generate',
    modality: 'image',
    workspace: 'image',
    effectId: null,
    effectText: null,
    params: { prompt: 'sim:ok' },
    projectId: null,
    consentVersion: null,
    pool: 'run-simulator',
    coins: COINS_PER_OUTPUT * outputs,
    coinsPerOutput: COINS_PER_OUTPUT,
    maxCoins: null,
    pricebookVersion: 'test',
    deadlineSeconds: 60,
    inputIds: [],
    effective: { params: { prompt: 'sim:ok' }, inputs: {}, effectSettings: {} },
    budget: null,
    traceparent: null,
    ...given,
    outputs,
  };
}

/** What a worker writes when a run has ended. */
export function settlementOf(run: Pick<RunRow, 'id' | 'attempt'>, end: PathEnd = {}): Settlement {
  return {
    id: run.id,
    attempt: run.attempt,
    error: end.error ?? null,
    assets: Array.from({ length: end.error === undefined ? (end.outputs ?? 1) : 0 }, (_, n) => sampleOutput(n)),
    retentionDays: RETENTION_DAYS,
  };
}

/** The steps of the money path, each with the same statement as the service, and reads of their results. */
export function createMoneyPath({ db, owner }: { db: Db; owner: Db }) {
  const read = async <R extends object>(text: string, values: unknown[] = []): Promise<R[]> =>
    (await owner.pool.query<R>(text, values)).rows;

  const settle = (run: Pick<RunRow, 'id' | 'attempt'>, end: PathEnd = {}): Promise<SettleOutcome> =>
    withStatementTx(db, (tx) => settleRow(tx, settlementOf(run, end)));

  return {
    read,
    makeAccount(
      options: { coins?: number; runLimit?: number; monthlyCap?: number; expiresAt?: Date } = {},
    ): Promise<PathAccount> {
      return withTx(db, async (tx) => {
        const accountId = await createAccount(tx, {
          ownerId: randomUUID(),
          mode: 'test',
          name: 'test',
          ...(options.runLimit === undefined ? {} : { runLimit: options.runLimit }),
        });
        const coins = options.coins ?? 1_000_000;
        if (coins > 0) await grantCoins(tx, { accountId, coins, actor: 'test', reason: 'coins of a test' });
        const { id } = await createApiKey(tx, 'c1', {
          accountId,
          name: 'test',
          scopes: SCOPES,
          monthlyCap: options.monthlyCap ?? null,
          expiresAt: options.expiresAt ?? null,
        });
        return { accountId, keyId: id };
      });
    },
    submit(account: PathAccount, given: PathSubmission = {}): Promise<SubmitOutcome> {
      return withStatementTx(db, (tx) => submitGeneration(tx, submissionOf(account, given)));
    },
    /** Submits and returns the id of the generation; it must be accepted. */
    async begin(account: PathAccount, given: PathSubmission = {}): Promise<string> {
      const { outcome, generationId } = await this.submit(account, given);
      if (outcome !== 'created' || generationId === null) throw new Error(`the submit returned ${outcome}`);
      return generationId;
    },
    async take(id: string, worker = 'worker'): Promise<RunRow | undefined> {
      const [run] = await withStatementTx(db, (tx) => takeRows(tx, { ids: [id], worker, models: [] }));
      return run;
    },
    settle,
    settleMany: (settlements: readonly Settlement[]) => withStatementTx(db, (tx) => settleRows(tx, settlements)),
    /** Takes and settles an admitted generation. */
    async finish(id: string, end: PathEnd = {}): Promise<SettleOutcome> {
      const run = await this.take(id);
      if (run === undefined) throw new Error('the generation could not be taken');
      return settle(run, end);
    },
    cancel(account: PathAccount, id: string): Promise<{ outcome: string; wake: string[] | null }> {
      return withStatementTx(db, (tx) => cancelRow(tx, { accountId: account.accountId, id }));
    },
    setRunLimit(account: PathAccount, limit: number): Promise<string[]> {
      return withStatementTx(db, (tx) => setRunLimitRow(tx, { accountId: account.accountId, limit }));
    },
    async addEndpoint(
      account: PathAccount,
      given: { events?: EndpointEvent[]; keyId?: string; status?: string; url?: string } = {},
    ): Promise<string> {
      const id = newId();
      await read(
        `INSERT INTO webhook_endpoint (id, account_id, url, events, key_id, secret_sealed, status)
         VALUES ($1, $2, $6, $3, $4, 'sealed', $5)`,
        [
          id,
          account.accountId,
          given.events ?? EVERY_EVENT,
          given.keyId ?? null,
          given.status ?? 'active',
          given.url ?? 'https://receiver.test/',
        ],
      );
      return id;
    },
    /** Moves the hold and its reservation to last month, as if it had been submitted then. */
    async moveToLastMonth(account: PathAccount, id: string): Promise<void> {
      await read(
        `WITH moved AS (
           UPDATE hold SET month = (month - interval '1 month')::date WHERE generation_id = $1 RETURNING key_id, month, amount
         ), added AS (
           INSERT INTO key_month AS m (key_id, month, reserved) SELECT key_id, month, amount FROM moved
           ON CONFLICT (key_id, month) DO UPDATE SET reserved = m.reserved + excluded.reserved
         )
         UPDATE key_month k SET reserved = reserved - moved.amount FROM moved
         WHERE k.key_id = $2 AND k.month = (moved.month + interval '1 month')::date`,
        [id, account.keyId],
      );
    },
    async accountOf(account: PathAccount) {
      const [row] = await read<{ available: number; held: number; slots: number; cooldown_until: Date | null }>(
        'SELECT available, held, slots, cooldown_until FROM account WHERE id = $1',
        [account.accountId],
      );
      return row!;
    },
    /** The coins of the account row. */
    async coinsOf(account: PathAccount) {
      const { available, held } = await this.accountOf(account);
      return { available, held };
    },
    async generationOf(id: string): Promise<GenerationFacts> {
      const [row] = await read<GenerationFacts>(
        'SELECT status, admitted, attempt, coins_charged, error_code FROM generation WHERE id = $1',
        [id],
      );
      return row!;
    },
    /** The transfers of a generation, in order. */
    transfersOf: (id: string) =>
      read<{ kind: string; amount: number }>('SELECT kind, amount FROM transfer WHERE generation_id = $1 ORDER BY id', [
        id,
      ]),
    monthsOf: (account: PathAccount) =>
      read<{ month: string; reserved: number; spent: number }>(
        'SELECT month::text, reserved, spent FROM key_month WHERE key_id = $1 ORDER BY month',
        [account.keyId],
      ),
    /** The run jobs of the account's generations, oldest generation first. */
    async jobsOf(account: PathAccount): Promise<string[]> {
      const rows = await read<{ id: string }>(
        `SELECT g.id FROM pgboss.job j JOIN generation g ON g.id::text = j.data ->> 'generationId' AND j.name = g.pool
         WHERE g.account_id = $1 ORDER BY g.created_at, g.id`,
        [account.accountId],
      );
      return rows.map(({ id }) => id);
    },
  };
}
