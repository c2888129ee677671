import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { sized } from '../../test/size.ts';
import { makeAccount } from '../harness/account.ts';
import { submit, until } from '../harness/client.ts';
import { type OwnPostgres, startOwnPostgres } from '../harness/start-own-postgres.ts';
import { type Stack, startStack } from '../harness/start-stack.ts';

const ROUNDS = sized({ ci: 1, full: 2 });
/** A report is not lost if another commit flushes it before the crash. */
const MOST_ROUNDS = 8;
const EACH = 20;

let postgres: OwnPostgres;
let stack: Stack;

beforeAll(async () => {
  postgres = await startOwnPostgres(inject('services'));
  stack = await startStack({ services: postgres.services, apis: 1, workers: 1, env: { SHUTDOWN_SECONDS: '1' } });
  // The log is written only for commits that wait, so that reports are lost in every crash, not only in some.
  const client = new pg.Client({ connectionString: postgres.services.postgresUrl });
  await client.connect();
  await client.query(`ALTER SYSTEM SET wal_writer_delay = '10s'`);
  await client.query('SELECT pg_reload_conf()');
  await client.end();
});
afterAll(async () => {
  await stack?.stop();
  await postgres?.stop();
});

interface Row {
  readonly status: string;
  readonly attempt: number;
  readonly captures: number;
  readonly events: number;
  readonly job: string;
}

async function read(ids: readonly string[]): Promise<Row[]> {
  const { rows } = await stack.db.pool.query<Row>(
    `SELECT g.status, g.attempt, j.state AS job,
       (SELECT count(*)::int FROM transfer t WHERE t.generation_id = g.id AND t.kind = 'capture') AS captures,
       (SELECT count(*)::int FROM event e WHERE e.generation_id = g.id) AS events
     FROM generation g JOIN pgboss.job j ON j.name = g.pool AND j.id = g.id WHERE g.id = ANY ($1)`,
    [ids],
  );
  return rows;
}

test('Postgres is killed before reports reach the disk: the jobs run again, and every generation ends once', async () => {
  let lost = 0;
  for (let round = 0; round < ROUNDS || (lost === 0 && round < MOST_ROUNDS); round += 1) {
    const { key } = await makeAccount(stack, { runLimit: EACH });
    const answers = await Promise.all(
      Array.from({ length: EACH }, () => submit(stack.api().url, { key, prompt: 'sim:ok:50' })),
    );
    const ids = answers.map(({ body }) => body.id as string);
    await until(
      'all jobs are reported',
      async () => (await read(ids)).every(({ job }) => job === 'completed'),
      30_000,
      5,
    );
    await postgres.crash({ kill: true });
    const found = await until('Postgres answers', () => read(ids).catch(() => false as const), 30_000);
    expect(found.map(({ status }) => status)).toEqual(ids.map(() => 'succeeded'));
    lost += found.filter(({ job }) => job !== 'completed').length;
    const ended = await until(
      'the jobs are reported again',
      async () => {
        const rows = await read(ids);
        return rows.every(({ job }) => job === 'completed') && rows;
      },
      60_000,
    );
    expect(ended).toEqual(
      ids.map(() => ({ status: 'succeeded', attempt: 1, captures: 1, events: 1, job: 'completed' })),
    );
    await stack.assertBooks();
  }
  console.log(`${lost} reports were lost`);
  // A crash that loses nothing proves nothing.
  expect(lost).toBeGreaterThan(0);
});
