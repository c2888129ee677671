import { createDb } from '@atelier/server/platform/db.ts';
import pg from 'pg';
import { explainStatements, type Reading } from './explain-statements.ts';
import { type HistorySize, LARGE_ACCOUNT, ORDINARY_ACCOUNT, seedHistory } from './seed-history.ts';
import { findSubject, growthStatements } from './statements.ts';

interface GrowthDatabase {
  readonly ownerUrl: string;
  readonly appUrl: string;
}

/** A statement for the ordinary and for the large account, in the small and in the big database. */
export interface GrowthReading {
  readonly name: string;
  readonly ordinary: { readonly small: Reading; readonly big: Reading };
  readonly large: { readonly small: Reading; readonly big: Reading };
}

export async function seedDatabase(database: GrowthDatabase, size: HistorySize): Promise<void> {
  const client = new pg.Client({ connectionString: database.ownerUrl });
  await client.connect();
  try {
    await seedHistory(client, size);
  } finally {
    await client.end();
  }
}

/** Measures each statement in both databases in turn, so that a busy machine slows down both. */
export async function measureGrowth(
  databases: { readonly small: GrowthDatabase; readonly big: GrowthDatabase },
  options: { readonly repeats: number },
): Promise<GrowthReading[]> {
  const small = await openReader(databases.small, options);
  const big = await openReader(databases.big, options);
  try {
    const readings: GrowthReading[] = [];
    for (const { name, call } of growthStatements) {
      const compare = async (accountId: string) => ({
        small: await small.read(accountId, call),
        big: await big.read(accountId, call),
      });
      readings.push({ name, ordinary: await compare(ORDINARY_ACCOUNT), large: await compare(LARGE_ACCOUNT) });
    }
    return readings;
  } finally {
    await Promise.all([small.close(), big.close()]);
  }
}

/** On a connection with the settings and the rights of the service. */
async function openReader(database: GrowthDatabase, options: { readonly repeats: number }) {
  const db = createDb({
    url: database.appUrl,
    applicationName: 'bench-growth',
    maxConnections: 1,
    statementTimeoutMs: 60_000,
  });
  const client = await db.pool.connect();
  const subjects = {
    [ORDINARY_ACCOUNT]: await findSubject(client, ORDINARY_ACCOUNT),
    [LARGE_ACCOUNT]: await findSubject(client, LARGE_ACCOUNT),
  };
  return {
    read: (accountId: string, call: (typeof growthStatements)[number]['call']): Promise<Reading> =>
      explainStatements(client, options, (recorder) =>
        call(recorder, subjects[accountId] as (typeof subjects)[string]),
      ),
    async close(): Promise<void> {
      client.release();
      await db.pool.end();
    },
  };
}
