import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifyBooks } from '@atelier/server/domain/ledger/verify-books.ts';
import { makeAccount } from '../e2e/harness/account.ts';
import { createAckLog } from '../e2e/harness/ack-log.ts';
import { until } from '../e2e/harness/client.ts';
import { keepAlive } from '../e2e/harness/keep-alive.ts';
import { createSeededRandom } from '../e2e/harness/seeded-random.ts';
import { startClients } from '../e2e/harness/start-clients.ts';
import { startOwnPostgres } from '../e2e/harness/start-own-postgres.ts';
import { type Stack, startStack } from '../e2e/harness/start-stack.ts';
import { readServices, startServices, stopServices } from '../scripts/services.ts';
import { createNemesis } from './nemesis.ts';

export interface ChaosOptions {
  readonly seconds: number;
  readonly seed: number;
  readonly onNote: (line: string) => void;
}

export interface ChaosReport {
  readonly seed: number;
  readonly seconds: number;
  readonly healSeconds: number;
  readonly faultCount: number;
  readonly faults: Readonly<Record<string, number>>;
  readonly answers: Readonly<Record<string, number>>;
  readonly acknowledged: number;
  readonly minAcknowledged: number;
  readonly generations: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly mostAttempts: number;
  /** One message per failure; empty if the run passed. */
  readonly violations: readonly string[];
  readonly verdict: 'passed' | 'failed' | 'void';
}

const APIS = 2;
const WORKERS = 3;
const ACCOUNTS = 16;
const CLIENTS = 6;
/** Below this a run proves nothing: every request may have been rejected. */
const MIN_ACKNOWLEDGED_PER_SECOND = 2;
const HEAL_TIMEOUT_MS = 180_000;
const MAX_BACKLOG = 80;
const CHEAP = 'sim:fail:internal';
const PROMPTS = [CHEAP, CHEAP, CHEAP, 'sim:ok:50', 'sim:ok:2000', 'sim:partial:1'];

export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const found = readServices();
  const dir = join(tmpdir(), `atelier-chaos-${randomBytes(5).toString('hex')}`);
  const shared = found ?? (await startServices({ dir }));
  try {
    const postgres = await startOwnPostgres(shared);
    try {
      const stack = await startStack({
        services: postgres.services,
        apis: 0,
        workers: 0,
        env: { WORKER_CONCURRENCY: '6', SHUTDOWN_SECONDS: '2' },
      });
      try {
        return await storm(options, stack, postgres);
      } finally {
        await stack.stop();
      }
    } finally {
      await postgres.stop();
    }
  } finally {
    if (!found) await stopServices({ dir });
  }
}

async function storm(
  options: ChaosOptions,
  stack: Stack,
  postgres: Awaited<ReturnType<typeof startOwnPostgres>>,
): Promise<ChaosReport> {
  const random = createSeededRandom(options.seed);
  const acks = createAckLog();
  const accounts = await Promise.all(Array.from({ length: ACCOUNTS }, () => makeAccount(stack)));
  const violations: string[] = [];
  const members = [
    ...Array.from({ length: APIS }, () => keepAlive(stack, { role: 'api' })),
    ...Array.from({ length: WORKERS }, () => keepAlive(stack, { role: 'worker' })),
  ];
  await until('all processes run', async () => members.every((member) => member.current() !== null), 120_000);

  let backlog = 0;
  const backlogTimer = setInterval(
    () =>
      void countUnfinished(stack).then(
        (count) => {
          backlog = count;
        },
        // The database is unavailable: keep the last count.
        () => {},
      ),
    500,
  );
  const clients = startClients({
    urls: () => stack.members.filter((member) => member.role === 'api' && member.alive()).map((member) => member.url),
    accounts,
    acks,
    // Choices of clients depend on timing, so faults use a separate random stream.
    random: createSeededRandom(options.seed + 1),
    count: CLIENTS,
    paceMs: 150,
    prompts: PROMPTS,
    cancelShare: 0.3,
    repeatShare: 0.2,
    hold: () => backlog > MAX_BACKLOG,
    timeoutMs: 3_000,
  });
  const nemesis = createNemesis({
    random,
    postgres,
    database: new URL(stack.appUrl).pathname.slice(1),
    members: () => members.flatMap((member) => member.current() ?? []),
  });
  const endsAtMs = Date.now() + options.seconds * 1_000;
  while (Date.now() < endsAtMs) {
    await sleep(random.between(200, 1_500));
    const fault = await nemesis.strike();
    options.onNote(`${((endsAtMs - Date.now()) / 1_000).toFixed(1).padStart(7)} s left: ${fault}`);
  }
  await nemesis.heal();
  const healStartedAtMs = Date.now();
  await clients.stop();
  clearInterval(backlogTimer);
  await until(
    'all generations have ended',
    async () => (await countUnfinished(stack)) === 0,
    HEAL_TIMEOUT_MS,
    250,
  ).catch((error: Error) => violations.push(error.message));
  const healSeconds = Math.round((Date.now() - healStartedAtMs) / 100) / 10;
  await Promise.all(members.map((member) => member.release()));

  violations.push(...clients.faults, ...(await acks.findLost(stack.db)));
  for (const check of await verifyBooks({ db: stack.db })) {
    if (check.violations > 0) violations.push(`${check.id} ${check.claim}: ${JSON.stringify(check.first.slice(0, 3))}`);
  }
  const { rows } = await stack.db.pool.query<{ status: string; n: number; most: number }>(
    'SELECT status, count(*)::int AS n, max(attempt)::int AS most FROM generation GROUP BY 1',
  );
  const stored = rows.reduce((sum, row) => sum + row.n, 0);
  if (stored > clients.keys.size) violations.push(`${stored} generations for ${clients.keys.size} keys`);
  const answers: Record<string, number> = {};
  for (const { status } of clients.seen) {
    const name = status === 0 ? 'broken' : String(status);
    answers[name] = (answers[name] ?? 0) + 1;
  }
  const minAcknowledged = options.seconds * MIN_ACKNOWLEDGED_PER_SECOND;
  return {
    seed: options.seed,
    seconds: options.seconds,
    healSeconds,
    faultCount: Object.values(nemesis.counts).reduce((sum, count) => sum + count, 0),
    faults: nemesis.counts,
    answers,
    acknowledged: acks.count,
    minAcknowledged,
    generations: acks.generations,
    statuses: Object.fromEntries(rows.map((row) => [row.status, row.n])),
    mostAttempts: Math.max(0, ...rows.map((row) => row.most)),
    violations,
    verdict: violations.length > 0 ? 'failed' : acks.count < minAcknowledged ? 'void' : 'passed',
  };
}

async function countUnfinished(stack: Pick<Stack, 'db'>): Promise<number> {
  const { rows } = await stack.db.pool.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM generation WHERE status IN ('queued', 'processing')`,
  );
  return rows[0]?.n ?? 0;
}
