import { inject, test } from 'vitest';
import { makeAccount } from '../harness/account.ts';
import { until } from '../harness/client.ts';
import { startStack } from '../harness/start-stack.ts';
import { endGeneration } from './end-generation.ts';
import { makeEndpoint } from './make-endpoint.ts';
import { startReceiverProcess } from './start-receiver-process.ts';

const ENDS = 30;
/** The worker dies at the nth pass, with other deliveries in progress. */
const NTH = 7;
const RECOVERY_MS = 90_000;

// Most of the time they wait for a lease to end, so each has its own stack and all run at once.
test.concurrent.for([
  { point: 'webhook.before-send', leastTwice: 0 },
  { point: 'webhook.after-send-before-record', leastTwice: 1 },
  { point: 'webhook.after-record', leastTwice: 0 },
])(
  'a worker killed at $point: every event is delivered, and duplicates have the same id',
  async ({ point, leastTwice }, { expect, onTestFinished }) => {
    const stack = await startStack({
      services: inject('services'),
      apis: 0,
      workers: 0,
      env: { ALLOW_FAULTS: 'true' },
    });
    onTestFinished(() => stack.stop());
    const receiver = await startReceiverProcess();
    onTestFinished(() => receiver.stop());
    const account = await makeAccount(stack, { runLimit: 1_000 });
    await makeEndpoint(stack, { accountId: account.accountId, url: `${receiver.url}/crash/0` });
    const killed = await stack.start('worker', { FAULT: `${point}:kill:${NTH}` });
    for (let n = 0; n < ENDS; n += 1) await endGeneration(stack.db, account);
    await killed.gone();
    const startedMs = performance.now();
    const survivor = await stack.start('worker');
    const states = async () =>
      (
        await stack.db.pool.query<{ event_id: string; status: string; attempts: number; recorded: number }>(
          `SELECT d.event_id, d.status, d.attempts, count(a.n)::int AS recorded FROM delivery d
         LEFT JOIN attempt a ON a.delivery_id = d.id WHERE d.account_id = $1 GROUP BY d.id`,
          [account.accountId],
        )
      ).rows;
    await until(
      'all are delivered',
      async () => (await states()).every(({ status }) => status === 'delivered'),
      RECOVERY_MS,
    );
    const seconds = (performance.now() - startedMs) / 1000;
    const rows = await states();
    expect(rows).toHaveLength(ENDS);
    expect(rows.every(({ attempts, recorded }) => attempts === 1 && recorded === 1)).toBe(true);
    const times = new Map<string, number>();
    for (const { eventId } of await receiver.arrivals()) times.set(eventId, (times.get(eventId) ?? 0) + 1);
    // Every event arrived with its own id, and no unknown one.
    expect([...times.keys()].sort()).toEqual(rows.map(({ event_id }) => event_id).sort());
    const twice = [...times.values()].filter((count) => count > 1).length;
    expect(twice).toBeGreaterThanOrEqual(leastTwice);
    console.log(
      `${point}: ${ENDS} delivered ${seconds.toFixed(1)} s after the next worker started, ${twice} duplicates`,
    );
    survivor.signal('SIGTERM');
    await survivor.gone();
    await stack.assertBooks();
  },
);
