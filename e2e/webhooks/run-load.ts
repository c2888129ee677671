import { setTimeout as sleep } from 'node:timers/promises';
import { createDb } from '@atelier/server/platform/db.ts';
import { createWake } from '@atelier/server/queue/wake.ts';
import { freePorts } from '../../scripts/sandbox/free-ports.ts';
import type { BackingServices } from '../../scripts/services.ts';
import { makeAccount, type TestAccount } from '../harness/account.ts';
import { until } from '../harness/client.ts';
import { type Stack, startStack } from '../harness/start-stack.ts';
import { endGeneration } from './end-generation.ts';
import { makeEndpoint } from './make-endpoint.ts';
import { type ReceiverProcess, startReceiverProcess } from './start-receiver-process.ts';

const SLOW_MS = 9_900;
/** One of twenty endpoints is down and one is slow. */
const ONE_IN = 20;
const WRITERS = 12;
const SETUP_AT_ONCE = 10;
const DRAIN_TIMEOUT_MS = 150_000;

export interface LoadOptions {
  readonly services: BackingServices;
  readonly events: number;
  readonly endpoints: number;
  /** Generations that end per second. */
  readonly perSecond: number;
}

export interface LoadFigures {
  readonly events: number;
  readonly endedPerSecond: number;
  /** From the commit of the end to the arrival, at healthy endpoints. */
  readonly healthyP50Ms: number;
  readonly healthyP99Ms: number;
  readonly healthyMaxMs: number;
  /** From the last end until healthy endpoints have received all events and all others were attempted. */
  readonly drainSeconds: number;
  readonly lost: number;
  /** Events with a second delivery, a second success, or a second arrival at a healthy endpoint. */
  readonly doubled: number;
  /** Slow endpoints that responded after the ten seconds, so that they were retried. */
  readonly late: number;
  readonly broken: readonly string[];
}

type Kind = 'healthy' | 'slow' | 'dead';
interface Target extends TestAccount {
  readonly kind: Kind;
}

/** Many generations end; each account has one endpoint, of which some are down and some are almost too slow. */
export async function runLoad(options: LoadOptions): Promise<LoadFigures> {
  const stack = await startStack({ services: options.services, apis: 0, workers: 1 });
  const receiver = await startReceiverProcess();
  const writer = createDb({ url: stack.appUrl, applicationName: 'load', maxConnections: WRITERS + 1 });
  try {
    const targets = await makeTargets(stack, receiver, options.endpoints);
    const wake = createWake(writer);
    const beginMs = performance.now();
    let n = 0;
    await Promise.all(
      Array.from({ length: WRITERS }, async () => {
        for (let mine = n++; mine < options.events; mine = n++) {
          const dueMs = beginMs + (mine / options.perSecond) * 1000;
          if (dueMs > performance.now()) await sleep(dueMs - performance.now());
          await endGeneration(writer, targets[mine % targets.length] as Target);
          wake(['deliver-webhook']);
        }
      }),
    );
    const endedMs = performance.now();
    await until('all events are sent', () => isDrained(stack, targets), DRAIN_TIMEOUT_MS, 250);
    const drainSeconds = (performance.now() - endedMs) / 1000;
    return {
      events: options.events,
      endedPerSecond: options.events / ((endedMs - beginMs) / 1000),
      drainSeconds,
      ...(await measure(stack, receiver, targets)),
    };
  } finally {
    receiver.stop();
    await writer.pool.end();
    await stack.stop();
  }
}

async function makeTargets(stack: Stack, receiver: ReceiverProcess, count: number): Promise<Target[]> {
  const [deadPort] = await freePorts(1);
  const targets: Target[] = [];
  const make = async (n: number) => {
    const kind: Kind = n % ONE_IN === 0 ? 'dead' : n % ONE_IN === 1 ? 'slow' : 'healthy';
    const base = kind === 'dead' ? `http://127.0.0.1:${deadPort}` : receiver.url;
    const account = await makeAccount(stack, { runLimit: 1_000 });
    await makeEndpoint(stack, {
      accountId: account.accountId,
      url: `${base}/${kind}/${kind === 'slow' ? SLOW_MS : 0}`,
    });
    targets[n] = { ...account, kind };
  };
  let next = 0;
  await Promise.all(
    Array.from({ length: SETUP_AT_ONCE }, async () => {
      for (let n = next++; n < count; n = next++) await make(n);
    }),
  );
  return targets;
}

/** No delivery waits for its first attempt, and none for a healthy endpoint. */
async function isDrained(stack: Stack, targets: readonly Target[]): Promise<boolean> {
  const healthy = targets.filter(({ kind }) => kind === 'healthy').map(({ accountId }) => accountId);
  const { rows } = await stack.db.pool.query(
    `SELECT 1 FROM delivery WHERE status = 'pending' AND (attempts = 0 OR account_id = ANY ($1)) LIMIT 1`,
    [healthy],
  );
  return rows.length === 0;
}

async function measure(stack: Stack, receiver: ReceiverProcess, targets: readonly Target[]) {
  const kindOf = new Map(targets.map(({ accountId, kind }) => [accountId, kind]));
  const { rows } = await stack.db.pool.query<{
    id: string;
    account_id: string;
    at: string;
    deliveries: number;
    oks: number;
    attempts: number;
  }>(
    `SELECT e.id, e.account_id, extract(epoch FROM e.created_at) * 1000 AS at, count(DISTINCT d.id)::int AS deliveries,
       count(*) FILTER (WHERE a.ok)::int AS oks, count(a.n)::int AS attempts
     FROM event e LEFT JOIN delivery d ON d.event_id = e.id LEFT JOIN attempt a ON a.delivery_id = d.id GROUP BY e.id`,
  );
  const arrived = new Map<string, number[]>();
  for (const { eventId, atMs } of await receiver.arrivals()) {
    arrived.set(eventId, [...(arrived.get(eventId) ?? []), atMs]);
  }
  const waits: number[] = [];
  let [lost, doubled, late] = [0, 0, 0];
  for (const row of rows) {
    const kind = kindOf.get(row.account_id);
    const times = arrived.get(row.id) ?? [];
    const isLost =
      row.deliveries === 0 || row.attempts === 0 || (kind === 'healthy' && (row.oks === 0 || times.length === 0));
    if (isLost) lost += 1;
    if (row.deliveries > 1 || row.oks > 1 || (kind === 'healthy' && times.length > 1)) doubled += 1;
    if (kind !== 'dead' && row.attempts > 1) late += 1;
    if (kind === 'healthy' && times[0] !== undefined) waits.push(times[0] - Number(row.at));
  }
  waits.sort((a, b) => a - b);
  const at = (share: number) => waits[Math.ceil(waits.length * share) - 1] ?? Number.NaN;
  const broken = await stack.assertBooks().then(
    () => [],
    (error: Error) => [error.message],
  );
  return { healthyP50Ms: at(0.5), healthyP99Ms: at(0.99), healthyMaxMs: at(1), lost, doubled, late, broken };
}

export function describeLoad(figures: LoadFigures): string[] {
  const { healthyP50Ms, healthyP99Ms, healthyMaxMs } = figures;
  return [
    `${figures.events} ends at ${figures.endedPerSecond.toFixed(0)}/s, 5 % of the endpoints down, 5 % at ${SLOW_MS / 1000} s`,
    `healthy endpoints, commit to arrival: p50 ${healthyP50Ms.toFixed(0)} ms, p99 ${healthyP99Ms.toFixed(0)} ms, max ${healthyMaxMs.toFixed(0)} ms (target p99 2000)`,
    `drained ${figures.drainSeconds.toFixed(1)} s after the last end (target 120); lost ${figures.lost}, duplicated ${figures.doubled}; too slow and retried ${figures.late}`,
  ];
}
