import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { sized } from '../../test/size.ts';
import { makeAccount, type TestAccount } from '../harness/account.ts';
import { type AckLog, createAckLog } from '../harness/ack-log.ts';
import { call, newIdempotencyKey, submit, until } from '../harness/client.ts';
import { createSeededRandom } from '../harness/seeded-random.ts';
import { type Clients, type Seen, startClients } from '../harness/start-clients.ts';
import { type OwnPostgres, startOwnPostgres } from '../harness/start-own-postgres.ts';
import { type Stack, startStack } from '../harness/start-stack.ts';
import { terminateBackends } from '../harness/terminate-backends.ts';

/** The limits of time are those of a machine that does nothing else: soak. */
const RECOVERY_MS = sized({ ci: 40_000, full: 10_000 });
const RESTARTS = sized({ ci: 1, full: 4 });
const DOWN_MS = [3_000, 500, 0, 0];
const TERMINATION_ROUNDS = sized({ ci: 3, full: 15 });

let postgres: OwnPostgres;
let stack: Stack;
let accounts: TestAccount[];
let acks: AckLog;

beforeAll(async () => {
  postgres = await startOwnPostgres(inject('services'));
  stack = await startStack({
    services: postgres.services,
    apis: 2,
    workers: 2,
    env: { WORKER_CONCURRENCY: '8', SHUTDOWN_SECONDS: '1' },
  });
  accounts = await Promise.all(Array.from({ length: 12 }, () => makeAccount(stack)));
});
beforeEach(() => {
  acks = createAckLog();
});
afterAll(async () => {
  await stack?.stop();
  await postgres?.stop();
});

const load = (seed: number): Clients =>
  startClients({
    urls: () => [stack.api(0).url, stack.api(1).url],
    accounts,
    acks,
    random: createSeededRandom(seed),
    count: 8,
    paceMs: 60,
    prompts: ['sim:fail:internal', 'sim:fail:internal', 'sim:fail:internal', 'sim:ok:20'],
    cancelShare: 0.3,
    repeatShare: 0.1,
  });

const tally = (seen: readonly Seen[]) => {
  const counts: Record<number, number> = {};
  for (const { status } of seen) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

async function settle(clients: Clients): Promise<void> {
  await clients.stop();
  await until(
    'all have ended',
    async () =>
      (await stack.db.pool.query(`SELECT 1 FROM generation WHERE status IN ('queued', 'processing') LIMIT 1`))
        .rowCount === 0,
    60_000,
    200,
  );
  expect(clients.faults).toEqual([]);
  expect(await acks.findLost(stack.db)).toEqual([]);
  await stack.assertBooks();
  expect(
    stack.members.every((member) => member.alive()),
    'no process exited',
  ).toBe(true);
}

test('Postgres crashes under load: 503 with Retry-After, quick recovery, no acknowledged operation lost', async () => {
  const clients = load(11);
  for (let n = 0; n < RESTARTS; n += 1) {
    await sleep(1_500);
    const { downAtMs, upAtMs } = await postgres.crash({ downMs: DOWN_MS[n] ?? 0 });
    const accepted = await until(
      'a submit is accepted again',
      async () => clients.seen.find((each) => each.status === 201 && each.atMs > upAtMs),
      60_000,
    );
    // A separate account: slots of the others may be taken by runs whose lease has not expired.
    const { key } = await makeAccount(stack);
    const probe = await submit(stack.api(n % 2).url, { key, prompt: 'sim:fail:internal' });
    await until('a generation runs to its end again', async () => {
      const { rows } = await stack.db.pool.query(
        'SELECT 1 FROM generation WHERE id = $1 AND completed_at IS NOT NULL',
        [probe.body.id],
      );
      return rows.length === 1;
    });
    const workedMs = Date.now() - upAtMs;
    const during = tally(clients.seen.filter((each) => each.atMs >= downAtMs && each.atMs <= upAtMs));
    console.log(
      `Postgres was down for ${upAtMs - downAtMs} ms: answers ${JSON.stringify(during)}; ` +
        `submits again after ${accepted.atMs - upAtMs} ms, a generation ran through after ${workedMs} ms`,
    );
    expect(accepted.atMs - upAtMs).toBeLessThanOrEqual(RECOVERY_MS);
    expect(workedMs).toBeLessThanOrEqual(RECOVERY_MS);
    // An outage that no client noticed proves nothing.
    if ((DOWN_MS[n] ?? 0) > 1_000) expect(during[503]).toBeGreaterThan(5);
  }
  await settle(clients);
  const counts = tally(clients.seen);
  console.log(
    `answers ${JSON.stringify(counts)}, ${acks.count} operations acknowledged, ` +
      `${clients.acceptedUnawares} accepted with an unknown outcome`,
  );
  // 500: only with an unknown outcome, any other is a fault of the clients.
  expect(Object.keys(counts).filter((status) => !['200', '201', '409', '500', '503'].includes(status))).toEqual([]);
});

test('backends are terminated under load: never a 500, no lost operation', async () => {
  const database = new URL(stack.appUrl).pathname.slice(1);
  const clients = load(13);
  let cut = 0;
  for (let n = 0; n < TERMINATION_ROUNDS; n += 1) {
    await sleep(300);
    cut += await terminateBackends(postgres.services.postgresUrl, { database, share: 0.5 });
  }
  await settle(clients);
  const counts = tally(clients.seen);
  console.log(`${cut} backends terminated: answers ${JSON.stringify(counts)}, ${acks.count} operations acknowledged`);
  expect(cut).toBeGreaterThan(sized({ ci: 10, full: 50 }));
  expect(Object.keys(counts).filter((status) => !['200', '201', '409', '503'].includes(status))).toEqual([]);
});

test('submits during an outage return 503 and charge nothing, and the same key works afterwards', async () => {
  const account = await makeAccount(stack, { coins: 70 });
  const keys = Array.from({ length: 40 }, newIdempotencyKey);
  const crash = postgres.crash({ downMs: 2_500 });
  await sleep(1_000);
  const answers = await Promise.all(
    keys.map((idempotencyKey, n) =>
      submit(stack.api(n % 2).url, { key: account.key, idempotencyKey, prompt: 'sim:hold' }),
    ),
  );
  await crash;
  for (const answer of answers) {
    expect(answer.status).toBe(503);
    expect(answer.body).toMatchObject({ code: 'unavailable' });
    expect(String(answer.headers['retry-after'])).toMatch(/^\d+$/);
  }
  const works = async () => (await call(stack.api().url, 'GET /v1/account', { key: account.key })).status === 200;
  await until('the API works again', works, RECOVERY_MS);
  const untouched = await stack.db.pool.query('SELECT available, held FROM account WHERE id = $1', [account.accountId]);
  expect(untouched.rows[0]).toEqual({ available: 70, held: 0 });
  const again = await Promise.all(
    keys.map((idempotencyKey) => submit(stack.api().url, { key: account.key, idempotencyKey, prompt: 'sim:hold' })),
  );
  expect(again.filter((answer) => answer.status === 201)).toHaveLength(10);
  expect(again.filter((answer) => answer.status === 402)).toHaveLength(30);
  await stack.assertBooks();
});
