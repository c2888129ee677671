import pg from 'pg';
import { endpointOf, LARGE_ACCOUNT, seedHistory } from '../growth/seed-history.ts';

/** A tenth of it belongs to the large account. */
const SIZE = { generations: 100_000, accounts: 100, waiting: 20 };

/** Fills the database, and makes a person the owner of its large account. */
export async function seedAccount(ownerUrl: string, email: string) {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    await seedHistory(client, SIZE);
    await client.query(
      `INSERT INTO account (id, owner_id, mode, name, run_limit) VALUES (gen_random_uuid(), $1, 'live', 'seeded', 4)`,
      [LARGE_ACCOUNT],
    );
    await client.query(
      `INSERT INTO membership (person_id, pair_id, role) SELECT id, $1, 'owner' FROM person WHERE email = $2`,
      [LARGE_ACCOUNT, email],
    );
    const { rows } = await client.query<{ generations: number; deliveries: number }>(
      `SELECT (SELECT count(*)::integer FROM generation WHERE account_id = $1) AS generations,
         (SELECT count(*)::integer FROM delivery WHERE endpoint_id = $2) AS deliveries`,
      [LARGE_ACCOUNT, endpointOf(LARGE_ACCOUNT)],
    );
    return { accountId: LARGE_ACCOUNT, ...rows[0]! };
  } finally {
    await client.end();
  }
}
