import { afterAll, afterEach, expect, inject } from 'vitest';
import { verifyBooks } from '../packages/server/src/domain/ledger/verify-books.ts';
import { createDb, type Db } from '../packages/server/src/platform/db.ts';
import { cloneTemplate } from './clone-template.ts';

export interface TestDatabase {
  /** As the running service. */
  readonly db: Db;
  /** As the owner of the tables. */
  readonly owner: Db;
  readonly url: string;
}

const DEFAULT_CONNECTIONS = 20;
const STATEMENT_TIMEOUT_MS = 20_000;

/**
 * A migrated database of the test file's own, a clone of the template. After each test the books must be in order and every
 * connection given back; after the last one the clone is gone.
 */
export async function openTestDatabase(options: { connections?: number } = {}): Promise<TestDatabase> {
  const clone = await cloneTemplate(inject('services').postgresUrl);
  const open = (url: string, maxConnections: number) =>
    createDb({ url, applicationName: 'db-test', maxConnections, statementTimeoutMs: STATEMENT_TIMEOUT_MS });
  const db = open(clone.appUrl, options.connections ?? DEFAULT_CONNECTIONS);
  const owner = open(clone.ownerUrl, 3);
  afterEach(async () => {
    expect.soft(await findBrokenInvariants(owner)).toEqual([]);
    for (const { pool } of [db, owner]) expect.soft(pool.totalCount - pool.idleCount, 'connections still out').toBe(0);
  });
  afterAll(async () => {
    await Promise.all([db.pool.end(), owner.pool.end()]);
    await clone.drop();
  });
  return { db, owner, url: clone.appUrl };
}

/** Each broken invariant as a line that says which rows break it. */
async function findBrokenInvariants(db: Db): Promise<string[]> {
  const checks = await verifyBooks({ db });
  return checks
    .filter((check) => check.violations > 0)
    .map((check) => `${check.id} ${check.claim}: ${check.violations} ${JSON.stringify(check.first.slice(0, 3))}`);
}
