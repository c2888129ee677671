import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { listEvents } from '@atelier/server/domain/events/list-events.ts';
import { createMoneyPath } from '@atelier/server/domain/generations/testing/create-money-path.ts';
import { systemClock } from '@atelier/server/platform/clock.ts';
import { createKeyRing } from '@atelier/server/platform/crypto.ts';
import { createDb, type Db } from '@atelier/server/platform/db.ts';
import { makeAccount } from '../e2e/harness/account.ts';
import { until } from '../e2e/harness/client.ts';
import { startStack } from '../e2e/harness/start-stack.ts';
import { makeEndpoint } from '../e2e/webhooks/make-endpoint.ts';
import { startReceiverProcess } from '../e2e/webhooks/start-receiver-process.ts';
import type { Bench } from './bench.ts';
import { alternate } from './rounds.ts';
import type { BareOrder } from './webhooks/bare-sender.ts';

const ACCOUNTS = 40;
const ENDPOINTS_EACH = 5;
const WARM_UP = 2_000;
const DELIVERIES = 8_000;
const BARE_CONCURRENCY = 64;
const sender = fileURLToPath(new URL('./webhooks/bare-sender.ts', import.meta.url));

/** Recorded deliveries per second of the real worker, against a bare loop that signs and posts the same bytes. */
export const benchWebhooks: Bench = async ({ services, rounds, say }) => {
  const stack = await startStack({ services, apis: 0, workers: 0 });
  const owner = createDb({ url: stack.ownerUrl, applicationName: 'bench-owner', maxConnections: 10 });
  const receiver = await startReceiverProcess({ countOnly: true });
  try {
    const accounts = await Promise.all(Array.from({ length: ACCOUNTS }, () => makeAccount(stack, { runLimit: 1_000 })));
    const secrets: string[] = [];
    for (const { accountId } of accounts) {
      for (let n = 0; n < ENDPOINTS_EACH; n += 1) {
        secrets.push((await makeEndpoint(stack, { accountId, url: `${receiver.url}/${n}/0` })).secret);
      }
    }
    const worker = await stack.start('worker');
    /** As in the bare loop, the first part is a warm-up: the worker has to notice the jobs and to open its connections. */
    const drain = async (deliveries: number) => {
      const warmUp = Math.ceil(deliveries / 4 / ENDPOINTS_EACH) * ENDPOINTS_EACH;
      const total = warmUp + deliveries;
      worker.signal('SIGSTOP');
      await endMany(owner, accounts, total / ENDPOINTS_EACH);
      await receiver.forget();
      worker.signal('SIGCONT');
      const arrived = (count: number) =>
        until(
          `${count} are delivered`,
          async () => {
            const seen = await receiver.count();
            return seen.count >= count ? seen : null;
          },
          120_000,
          20,
        );
      const begin = await arrived(warmUp);
      const end = await arrived(total);
      // The last ones are recorded after they arrive; the other side must not be measured meanwhile.
      await until('all are recorded', async () => {
        const open = `SELECT count(*)::int AS n FROM delivery WHERE status <> 'delivered'`;
        return (await owner.pool.query(open)).rows[0]?.n === 0;
      });
      return (end.count - begin.count) / ((end.lastMs - begin.lastMs) / 1000);
    };
    await drain(WARM_UP);
    const order = {
      origin: receiver.url,
      paths: ['/0/0'],
      bodies: await renderBodies(stack.db, stack.env.MASTER_KEY as string, accounts),
      secret: secrets[0] as string,
      requests: DELIVERIES,
      concurrency: BARE_CONCURRENCY,
    };
    const measured = await alternate({ rounds, ours: () => drain(DELIVERIES), baseline: () => sendBare(order) });
    const { ours: ourRate, baseline: bareRate, ratio } = measured;
    say(`bare undici loop, signed and posted  ${bareRate.toFixed(0).padStart(6)} requests/s`);
    say(`through the worker, each recorded    ${ourRate.toFixed(0).padStart(6)} deliveries/s`);
    say(`ratio ${ratio.toFixed(2)}`);
    return { bareRate, ourRate, ratio };
  } finally {
    receiver.stop();
    await owner.pool.end();
    await stack.stop();
  }
};

type Account = Awaited<ReturnType<typeof makeAccount>>;

/** Succeeded generations with pending deliveries, without run jobs. */
async function endMany(owner: Db, accounts: readonly Account[], count: number): Promise<void> {
  const path = createMoneyPath({ db: owner, owner });
  let left = count;
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let n = left--; n > 0; n = left--)
        await path.finish(await path.begin(accounts[n % accounts.length] as Account));
    }),
  );
  await owner.pool.query(`DELETE FROM pgboss.job WHERE name = 'run-simulator'`);
}

async function renderBodies(db: Db, masterKey: string, accounts: readonly Account[]): Promise<string[]> {
  const keys = createKeyRing([Buffer.from(masterKey, 'base64')]);
  const services = { db, keys, clock: systemClock, cdnUrl: 'http://127.0.0.1:8081' };
  const pages = await Promise.all(accounts.map(({ accountId }) => listEvents(services, accountId, { limit: 10 })));
  return pages.flatMap((page) => page.items.map((item) => JSON.stringify(item)));
}

function sendBare(order: BareOrder): Promise<number> {
  const child = fork(sender, [], { execArgv: [] });
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve((message as { rate: number }).rate));
    child.once('exit', (code) => (code === 0 ? undefined : reject(new Error(`the bare sender exited with ${code}`))));
    child.send(order);
  });
}
