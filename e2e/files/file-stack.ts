import { randomUUID } from 'node:crypto';
import { openKeyPrefix } from '@atelier/server/domain/assets/bucket/bucket-ownership.ts';
import { sweepFiles } from '@atelier/server/domain/assets/bucket/sweep-files.ts';
import { verifyObjects } from '@atelier/server/domain/assets/bucket/verify-objects.ts';
import { readConfig } from '@atelier/server/entry/config/config.ts';
import { systemClock } from '@atelier/server/platform/clock.ts';
import { statement } from '@atelier/server/platform/db.ts';
import { createLog } from '@atelier/server/platform/log.ts';
import { type Stack, type StackOptions, startStack } from '../harness/start-stack.ts';
import { makeBucket, type OwnBucket } from './own-bucket.ts';

export interface FileStack extends Stack {
  readonly bucket: OwnBucket;
  /** Prefix of the object keys of the stack. */
  readonly keyPrefix: string;
  /** One sweep like that of the worker, with orphans of any age. */
  sweep(options?: { maxPages?: number }): Promise<{ expired: number; orphans: number; refused: readonly string[] }>;
  /** The checks of `verify --objects`, with orphans of any age: what breaks each. */
  verifyFiles(): Promise<Record<string, readonly object[]>>;
  countAssets(): Promise<number>;
  /** Makes these assets expire. */
  expire(ids: readonly string[]): Promise<void>;
}

/** So far in the future that every object counts as old. */
const ANY_AGE_MS = -60_000;

/** A stack with its own bucket, so that its objects can be counted and swept. */
export async function startFileStack(options: StackOptions): Promise<FileStack> {
  const bucket = await makeBucket(options.services);
  const stack = await startStack({ ...options, env: { S3_BUCKET: bucket.name, ...options.env } }).catch(
    async (error) => {
      await bucket.drop();
      throw error;
    },
  );
  const { db } = stack;
  const { store } = bucket;
  return {
    ...stack,
    bucket,
    keyPrefix: await openKeyPrefix({ db }, readConfig(stack.env).cell),
    sweep: (given = {}) =>
      sweepFiles(
        { db, store, clock: systemClock, log: createLog({ level: 'silent' }) },
        { signal: new AbortController().signal, orphanAgeMs: ANY_AGE_MS, ...given },
      ),
    async verifyFiles() {
      const checks = await verifyObjects({ db, store }, { orphanAgeMs: ANY_AGE_MS });
      return Object.fromEntries(checks.map((check) => [check.id, check.first]));
    },
    async countAssets() {
      const [row] = await db.query<{ count: number }>(statement('e2e_assets', 'SELECT count(*) AS count FROM asset'));
      return row?.count ?? 0;
    },
    async expire(ids) {
      await db.query(
        statement('e2e_expire', `UPDATE asset SET expires_at = now() - interval '1 second' WHERE id = ANY ($1)`),
        [ids],
      );
    },
    async stop() {
      await stack.stop();
      await bucket.drop();
    },
  };
}

/** Enqueues a scheduled job now. */
export async function enqueueNow(stack: Pick<Stack, 'db'>, queue: 'sweep-files'): Promise<void> {
  const text = `SELECT enqueue_job(p_queue => $1, p_id => $2, p_data => '{}', p_start_after => now())`;
  await stack.db.query(statement('e2e_enqueue', text), [queue, randomUUID()]);
}
