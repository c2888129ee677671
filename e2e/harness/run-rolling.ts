import { setTimeout as sleep } from 'node:timers/promises';
import { makeAccount } from './account.ts';
import { until } from './client.ts';
import { startBalancer } from './start-balancer.ts';
import type { RoleName, Stack } from './start-stack.ts';
import { type Sent, startSteadyLoad } from './start-steady-load.ts';

export interface RollingOptions {
  readonly requestsPerSecond: number;
  /** How often every process is replaced. */
  readonly rounds: number;
  /** Before the first and after the last restart. */
  readonly steadyMs: number;
  /** Creates the account of the clients and returns its key; without it, this version creates the account. */
  readonly makeKey?: (account: { coins: number; runLimit: number }) => Promise<string>;
  /** Runs under load before the restarts, such as a migration to the next version. */
  readonly beforeRestarts?: () => Promise<void>;
  readonly onNote?: (line: string) => void;
}

export interface RollingReport {
  readonly requests: number;
  readonly requestsPerSecond: number;
  readonly restarts: number;
  readonly accepted: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** One message per failed request, unclean exit, lost generation or broken invariant. */
  readonly violations: readonly string[];
}

const ROLES = ['api', 'worker'] as const satisfies readonly RoleName[];
const RUN_LIMIT = 1_000;
const COINS = 100_000_000;
const DRAIN_TIMEOUT_MS = 180_000;

/**
 * Replaces the APIs and workers of a stack one after the other while clients send requests through a balancer. Odd rounds start
 * the new process first, as Kubernetes does; even rounds stop the old one first, as systemd does on a fixed port: then the
 * balancer finds the port closed and uses another process.
 */
export async function runRolling(stack: Stack, options: RollingOptions): Promise<RollingReport> {
  const note = options.onNote ?? (() => {});
  const violations: string[] = [];
  const accepted = new Set<string>();
  const balancer = await startBalancer();
  const runningOf = (role: RoleName) => stack.members.filter((each) => each.role === role && each.alive());
  for (const { url } of runningOf('api')) balancer.add(url);
  const account = { runLimit: RUN_LIMIT, coins: COINS };
  const key = (await options.makeKey?.(account)) ?? (await makeAccount(stack, account)).key;
  const startedAtMs = performance.now();
  const load = startSteadyLoad({
    url: balancer.url,
    key,
    requestsPerSecond: options.requestsPerSecond,
    onAccepted: (id) => accepted.add(id),
  });
  let restarts = 0;
  let seconds = 0;
  try {
    await sleep(options.steadyMs);
    await options.beforeRestarts?.();
    for (let round = 1; round <= options.rounds; round += 1) {
      for (const role of ROLES) {
        for (const old of runningOf(role)) {
          const startNew = async () => {
            const fresh = await stack.start(role);
            if (role === 'api') balancer.add(fresh.url);
          };
          const isNewFirst = round % 2 === 1;
          if (isNewFirst) {
            await startNew();
            balancer.remove(old.url);
          }
          old.signal('SIGTERM');
          const end = await old.gone();
          if (end.code !== 0) violations.push(`${role} ${old.pid} exited with ${end.signal ?? end.code}`);
          if (!isNewFirst) {
            await startNew();
            balancer.remove(old.url);
          }
          restarts += 1;
          note(`round ${round}: ${role} replaced, ${load.sent.length} requests, ${countFailed(load.sent)} failed`);
        }
      }
    }
    await sleep(options.steadyMs);
    seconds = (performance.now() - startedAtMs) / 1_000;
  } finally {
    await load.stop();
    await balancer.stop();
  }
  for (const { what, status, startedAtMs: atMs } of load.sent.filter(isFailed)) {
    violations.push(`${what} failed with ${status}, sent after ${((atMs - startedAtMs) / 1_000).toFixed(2)} s`);
  }
  await until(
    'all generations have ended',
    async () => (await countUnfinished(stack)) === 0,
    DRAIN_TIMEOUT_MS,
    250,
  ).catch((error: Error) => violations.push(error.message));
  const { rows } = await stack.db.pool.query<{ id: string }>('SELECT id FROM generation WHERE id = ANY ($1)', [
    [...accepted],
  ]);
  if (rows.length !== accepted.size) violations.push(`${accepted.size - rows.length} accepted generations are lost`);
  await stack.assertBooks().catch((error: Error) => violations.push(error.message));
  const durations = load.sent.map((each) => each.durationMs).sort((a, b) => a - b);
  const share = (part: number) => Math.round(durations[Math.floor((durations.length - 1) * part)] ?? 0);
  return {
    requests: load.sent.length,
    requestsPerSecond: Math.round(load.sent.length / seconds),
    restarts,
    accepted: accepted.size,
    p50Ms: share(0.5),
    p99Ms: share(0.99),
    maxMs: share(1),
    violations,
  };
}

const isFailed = ({ status }: Sent) => status !== 200 && status !== 201;
const countFailed = (sent: readonly Sent[]) => sent.filter(isFailed).length;

async function countUnfinished(stack: Pick<Stack, 'db'>): Promise<number> {
  const { rows } = await stack.db.pool.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM generation WHERE status IN ('queued', 'processing')`,
  );
  return rows[0]?.n ?? 0;
}
