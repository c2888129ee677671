import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { afterAll, afterEach, expect, inject } from 'vitest';
import { verifyBooks } from '../packages/server/src/domain/ledger/verify-books.ts';
import { createDb, type Db } from '../packages/server/src/platform/db.ts';
import { cloneTemplate } from './clone-template.ts';

export interface TestDatabase {
  /** Logs in as the running service. */
  readonly db: Db;
  /** Logs in as the owner of the tables. */
  readonly owner: Db;
  /** Logs in as the operator's desk. */
  readonly desk: Db;
  readonly url: string;
}

const DEFAULT_CONNECTIONS = 20;
/** Longer than in production, because a busy test machine can stall for seconds. */
const TIMEOUT_MS = 20_000;
const RETURN_MS = 2_000;
const RETURN_CHECK_MS = 5;

/**
 * A migrated database for this test file, cloned from the template. After each test the invariants must hold and every
 * connection returned to its pool; after the last one the clone is dropped.
 */
export async function openTestDatabase(options: { connections?: number } = {}): Promise<TestDatabase> {
  // Tests check commits, not crash recovery of the server.
  const clone = await cloneTemplate(inject('services').postgresUrl, { durable: false });
  const open = (url: string, maxConnections: number) =>
    createDb({
      url,
      applicationName: 'db-test',
      maxConnections,
      statementTimeoutMs: TIMEOUT_MS,
      lockTimeoutMs: TIMEOUT_MS,
      connectTimeoutMs: TIMEOUT_MS,
    });
  const db = open(clone.appUrl, options.connections ?? DEFAULT_CONNECTIONS);
  const owner = open(clone.ownerUrl, 3);
  const desk = open(clone.deskUrl, 3);
  afterEach(async () => {
    expect.soft(await findBrokenInvariants(owner)).toEqual([]);
    // What is recorded after a response may still be on its way.
    const busy = () => [db, owner, desk].reduce((sum, { pool }) => sum + pool.totalCount - pool.idleCount, 0);
    const deadlineMs = Date.now() + RETURN_MS;
    while (busy() > 0 && Date.now() < deadlineMs) await sleep(RETURN_CHECK_MS);
    expect.soft(busy(), 'connections not returned to the pool').toBe(0);
  });
  afterAll(async () => {
    await Promise.all([db, owner, desk].map(({ pool }) => pool.end()));
    await clone.drop();
  });
  return { db, owner, desk, url: clone.appUrl };
}

/**
 * Runs `work` on one connection inside a transaction. What `work` does not commit itself is rolled back, whether it returns or
 * throws, so that no open or aborted transaction returns to the pool. A connection that cannot roll back is closed.
 */
export async function holdTransaction<T>(
  { pool }: Pick<Db, 'pool'>,
  work: (client: pg.PoolClient) => Promise<T>,
  begin = 'BEGIN',
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  const markBroken = (error: Error) => {
    broken = error;
  };
  client.on('error', markBroken);
  try {
    await client.query(begin);
    return await work(client);
  } finally {
    await client.query('ROLLBACK').catch(markBroken);
    client.off('error', markBroken);
    client.release(broken);
  }
}

/** One line for each broken invariant, with the rows that break it. */
async function findBrokenInvariants(db: Db): Promise<string[]> {
  const checks = await verifyBooks({ db });
  return checks
    .filter((check) => check.violations > 0)
    .map((check) => `${check.id} ${check.claim}: ${check.violations} ${JSON.stringify(check.first.slice(0, 3))}`);
}
