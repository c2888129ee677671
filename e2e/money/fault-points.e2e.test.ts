import { FAULT_POINTS } from '@atelier/server/platform/fault-point.ts';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { sized } from '../../test/size.ts';
import { makeAccount } from '../harness/account.ts';
import { createAckLog } from '../harness/ack-log.ts';
import { until } from '../harness/client.ts';
import { keepAlive } from '../harness/keep-alive.ts';
import { createSeededRandom } from '../harness/seeded-random.ts';
import { startClients } from '../harness/start-clients.ts';
import { type RoleName, type Stack, startStack } from '../harness/start-stack.ts';

const KILLS_PER_POINT = sized({ ci: 1, full: 5 });
const ACCOUNTS = 24;
const MAX_BACKLOG = 60;
/** Every kill costs a process start: an idle machine with two cores needs a quarter of this, a busy one half. */
const TIMEOUT_MS = 900_000;

const pointsOf = (...steps: string[]) =>
  FAULT_POINTS.filter((point) => steps.some((step) => point.startsWith(`${step}.`)));
const API_POINTS = pointsOf('submit', 'cancel');
const WORKER_POINTS = pointsOf('take', 'provider', 'output', 'settle');

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({
    services: inject('services'),
    apis: 1,
    workers: 0,
    env: { ALLOW_FAULTS: 'true', WORKER_CONCURRENCY: '4' },
  });
});
afterAll(() => stack?.stop());

/** Starts processes one after another, each killed at the next point of the list; the last one keeps running. */
function killThrough(role: RoleName, schedule: string[], kills: Map<string, number>) {
  let armed: string | undefined;
  const strike = () => {
    if (armed !== undefined) kills.set(armed, (kills.get(armed) ?? 0) + 1);
  };
  const kept = keepAlive(stack, {
    role,
    env: () => {
      armed = schedule.shift();
      return armed === undefined ? {} : { FAULT: `${armed}:kill` };
    },
    onGone: (_member, signal) => {
      if (signal === 'SIGKILL') strike();
    },
    onError: (error) => {
      // There was work immediately, so the process was killed before it was ready.
      if (error.message.includes('(SIGKILL)')) strike();
    },
  });
  const finished = () => schedule.length === 0 && armed === undefined && kept.current() !== null;
  return { kept, finished };
}

/** Cycles over all points, so that no point is used twice in a row. */
const rounds = (points: readonly string[]) => Array.from({ length: KILLS_PER_POINT }, () => [...points]).flat();

const split = (schedule: string[]) => [0, 1].map((half) => schedule.filter((_, n) => n % 2 === half));

async function countUnfinished(): Promise<number> {
  const { rows } = await stack.db.pool.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM generation WHERE status IN ('queued', 'processing')`,
  );
  return rows[0]?.n ?? 0;
}

test('processes killed at every point of the money path lose nothing', { timeout: TIMEOUT_MS }, async () => {
  expect(API_POINTS).toHaveLength(6);
  expect(WORKER_POINTS).toHaveLength(9);
  const startedAtMs = Date.now();
  const kills = new Map<string, number>();
  const acks = createAckLog();
  const accounts = await Promise.all(Array.from({ length: ACCOUNTS }, () => makeAccount(stack)));
  // One process of each role keeps running and takes over from the killed ones.
  await stack.start('worker', { WORKER_CONCURRENCY: '2' });

  const killers = [
    ...split(rounds(API_POINTS)).map((schedule) => killThrough('api', schedule, kills)),
    ...split(rounds(WORKER_POINTS)).map((schedule) => killThrough('worker', schedule, kills)),
  ];
  let backlog = 0;
  const clients = startClients({
    urls: () => stack.members.filter((member) => member.role === 'api' && member.alive()).map((member) => member.url),
    accounts,
    acks,
    random: createSeededRandom(7),
    count: 5,
    paceMs: 1_000,
    prompts: ['sim:fail:internal', 'sim:fail:internal', 'sim:ok:30'],
    cancelShare: 0.5,
    repeatShare: 0.2,
    hold: () => backlog > MAX_BACKLOG,
  });
  await until(
    'every point has killed its processes',
    async () => {
      backlog = await countUnfinished();
      return killers.every((killer) => killer.finished());
    },
    TIMEOUT_MS - 60_000,
    200,
  );
  const killedMs = Date.now() - startedAtMs;
  await clients.stop();
  await until('all have ended', async () => (await countUnfinished()) === 0, 60_000, 200);
  await Promise.all(killers.map((killer) => killer.kept.release()));

  const total = [...kills.values()].reduce((sum, each) => sum + each, 0);
  console.log(
    `${total} processes killed at ${kills.size} points in ${(killedMs / 1000).toFixed(0)} s, all settled after ` +
      `${((Date.now() - startedAtMs) / 1000).toFixed(0)} s; ${acks.count} operations acknowledged, ${acks.generations} generations`,
  );
  for (const point of [...API_POINTS, ...WORKER_POINTS]) {
    expect(kills.get(point), point).toBeGreaterThanOrEqual(KILLS_PER_POINT);
  }
  expect(clients.faults).toEqual([]);
  expect(await acks.findLost(stack.db)).toEqual([]);
  await stack.assertBooks();
  // Each key created one generation, and there are no others.
  const { rows } = await stack.db.pool.query<{ n: number; most: number }>(
    'SELECT count(*)::int AS n, max(attempt)::int AS most FROM generation',
  );
  expect(rows[0]?.n).toBe(clients.keys.size);
  console.log(`most attempts of one generation: ${rows[0]?.most}`);
});
