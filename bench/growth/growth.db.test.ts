import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { verifyBooks } from '../../packages/server/src/domain/ledger/verify-books.ts';
import { createDb } from '../../packages/server/src/platform/db.ts';
import type { SandboxDatabase } from '../../scripts/sandbox/create-sandbox-database.ts';
import { cloneTemplate } from '../../test/clone-template.ts';
import { type GrowthReading, measureGrowth, seedDatabase } from './measure-growth.ts';
import { growthStatements, READ_AS_A_WHOLE } from './statements.ts';

const SMALL = { generations: 10_000, accounts: 100, waiting: 20 };
const BIG = { generations: 100_000, accounts: 1_000, waiting: 2_000 };
const SEED_TIMEOUT_MS = 300_000;
/** An index of ten times the rows may have one more level, so each lookup may read one more page. */
const MAX_GROWTH = 1.6;
const MAX_ADDED_PAGES = 20;
const HISTORY = ['generation', 'hold', 'transfer', 'event', 'asset', 'delivery', 'attempt', 'run_failure'];

const databases: SandboxDatabase[] = [];
let readings = new Map<string, GrowthReading>();

beforeAll(async () => {
  for (const size of [SMALL, BIG]) {
    const database = await cloneTemplate(inject('services').postgresUrl, { durable: false });
    databases.push(database);
    await seedDatabase(database, size);
  }
  const [small, big] = databases as [SandboxDatabase, SandboxDatabase];
  readings = new Map((await measureGrowth({ small, big }, { repeats: 1 })).map((each) => [each.name, each]));
}, SEED_TIMEOUT_MS);

afterAll(async () => {
  for (const database of databases) await database.drop();
});

test('the books of the history are consistent', async () => {
  const db = createDb({
    url: (databases[0] as SandboxDatabase).ownerUrl,
    applicationName: 'db-test',
    maxConnections: 2,
    statementTimeoutMs: 60_000,
  });
  const broken = (await verifyBooks({ db })).filter(({ violations }) => violations > 0);
  await db.pool.end();
  expect(broken).toEqual([]);
});

test.each(growthStatements.filter(({ name }) => READ_AS_A_WHOLE[name] === undefined).map(({ name }) => name))(
  '%s reads no more pages with ten times the rows',
  (name) => {
    const { ordinary, large } = readings.get(name) as GrowthReading;
    for (const { small, big } of [ordinary, large])
      expect(big.pages).toBeLessThanOrEqual(small.pages * MAX_GROWTH + MAX_ADDED_PAGES);
  },
);

test('no statement reads a table with history from start to end', () => {
  const scans = [...readings.values()].flatMap(({ name, ordinary, large }) =>
    [...ordinary.big.scanned, ...large.big.scanned]
      .filter((table) => HISTORY.includes(table))
      .map((table) => `${name}: ${table}`),
  );
  expect(scans).toEqual([]);
});
