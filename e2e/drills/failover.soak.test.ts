import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { findPostgresProgram, postgresUser, startPostgres, stopPostgres } from '../../scripts/services/postgres.ts';
import { runProgram } from '../../scripts/services/run-program.ts';
import { type BackingServices, postgresDir } from '../../scripts/services/state.ts';
import { makeAccount } from '../harness/account.ts';
import { createAckLog } from '../harness/ack-log.ts';
import { until } from '../harness/client.ts';
import { queryOnce } from '../harness/query-once.ts';
import { createSeededRandom } from '../harness/seeded-random.ts';
import { type Balancer, startBalancer } from '../harness/start-balancer.ts';
import { startClients } from '../harness/start-clients.ts';
import { type OwnPostgres, placePostgres, startOwnPostgres } from '../harness/start-own-postgres.ts';
import { type Stack, startStack } from '../harness/start-stack.ts';
import { runMain } from '../operate/run-main.ts';

/** From the loss of the primary to the next accepted submit, most of which is the promotion. */
const RECOVERY_MS = 60_000;
const LOAD_MS = 3_000;

let primary: OwnPostgres;
let standby: BackingServices;
/** The address of the primary, as a virtual IP address or a DNS name would be. */
let address: Balancer;
let stack: Stack;

/** A standby that every commit of the primary waits for. */
async function startStandby(): Promise<BackingServices> {
  const services = await placePostgres(primary.services);
  await runProgram(
    findPostgresProgram('pg_basebackup'),
    [
      `--pgdata=${postgresDir(services)}`,
      '--write-recovery-conf',
      '--checkpoint=fast',
      '--host=127.0.0.1',
      `--port=${primary.services.ports.postgres}`,
      '--username=postgres',
    ],
    { cwd: '/', user: postgresUser() },
  );
  await startPostgres(services);
  const { postgresUrl } = primary.services;
  await queryOnce(postgresUrl, `ALTER SYSTEM SET synchronous_standby_names = '*'`);
  await queryOnce(postgresUrl, 'SELECT pg_reload_conf()');
  await until('the standby is synchronous', async () => {
    const [row] = await queryOnce<{ sync_state: string }>(postgresUrl, 'SELECT sync_state FROM pg_stat_replication');
    return row?.sync_state === 'sync';
  });
  return services;
}

beforeAll(async () => {
  primary = await startOwnPostgres(inject('services'));
  standby = await startStandby();
  address = await startBalancer();
  address.add(primary.services.postgresUrl);
  stack = await startStack({
    services: { ...primary.services, postgresUrl: `postgres://postgres@${new URL(address.url).host}/postgres` },
    apis: 2,
    workers: 2,
    env: { WORKER_CONCURRENCY: '8' },
  });
});
afterAll(async () => {
  await stack?.stop();
  await address?.stop();
  if (standby !== undefined) {
    await stopPostgres(standby, 'immediate');
    rmSync(standby.dir, { recursive: true, force: true });
  }
  await primary?.stop();
});

test('the primary is lost and its synchronous standby promoted under load: no acknowledged operation is lost', async () => {
  const accounts = await Promise.all(Array.from({ length: 8 }, () => makeAccount(stack)));
  const acks = createAckLog();
  const clients = startClients({
    urls: () => [stack.api(0).url, stack.api(1).url],
    accounts,
    acks,
    random: createSeededRandom(29),
    count: 6,
    paceMs: 60,
    prompts: ['sim:fail:internal', 'sim:fail:internal', 'sim:fail:internal', 'sim:ok:20'],
    cancelShare: 0.3,
    repeatShare: 0.1,
  });
  await sleep(LOAD_MS);
  const lostAtMs = Date.now();
  await stopPostgres(primary.services, 'immediate');
  await queryOnce(standby.postgresUrl, 'SELECT pg_promote(true, 60)');
  address.remove(primary.services.postgresUrl);
  address.add(standby.postgresUrl);
  const accepted = await until(
    'a submit is accepted again',
    async () => clients.seen.find((each) => each.status === 201 && each.atMs > lostAtMs),
    RECOVERY_MS,
  );
  console.info(`accepted again after ${accepted.atMs - lostAtMs} ms`);
  await sleep(LOAD_MS);
  await clients.stop();
  expect(clients.faults).toEqual([]);

  for (const args of [['migrate'], ['bucket', 'claim', '--bucket', stack.env.S3_BUCKET as string]]) {
    const { code, stdout, stderr } = await runMain(args, stack.env);
    expect([args[0], code], stdout + stderr).toEqual([args[0], 0]);
  }
  await until(
    'all have ended',
    async () =>
      (await stack.db.pool.query(`SELECT 1 FROM generation WHERE status IN ('queued', 'processing') LIMIT 1`))
        .rowCount === 0,
    90_000,
    200,
  );
  expect(await acks.findLost(stack.db)).toEqual([]);
  const statuses = new Set(clients.seen.map(({ status }) => status));
  for (const status of statuses) expect([0, 200, 201, 409, 500, 503]).toContain(status);
  await stack.assertBooks();
  for (const member of stack.members) expect((await fetch(`${member.metricsUrl}/readyz`)).status).toBe(200);
});
