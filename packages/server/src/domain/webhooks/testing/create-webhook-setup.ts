import { randomBytes } from 'node:crypto';
import { EVENT_TYPES } from '@atelier/contract';
import type { PgBoss } from 'pg-boss';
import { bindHandler } from '../../../jobs/handlers.ts';
import type { WorkerServices } from '../../../jobs/job-handler.ts';
import { systemClock } from '../../../platform/clock.ts';
import { createKeyRing } from '../../../platform/crypto.ts';
import { type Db, withTx } from '../../../platform/db.ts';
import { createLog } from '../../../platform/log.ts';
import { createSafeFetch } from '../../../platform/safe-fetch.ts';
import { createTelemetry } from '../../../platform/telemetry.ts';
import { NO_TRACING } from '../../../platform/tracing.ts';
import { createBoss } from '../../../queue/create-boss.ts';
import { TEST_LIMITS } from '../../generations/testing/test-limits.ts';
import { createDeliveryDesk } from '../deliveries/create-delivery-desk.ts';
import { createEndpoint, type NewEndpoint } from '../endpoints/create-endpoint.ts';

const QUEUE = 'deliver-webhook';
const MAX_JOBS = 500;

export const urlPolicy = { allowHttp: true, allowCidrs: ['127.0.0.0/8'], ownHosts: [] };

/** The worker side of webhooks on a test database. The test runs the jobs and so controls the time. */
export async function createWebhookSetup({ db, owner }: { db: Db; owner: Db }) {
  const woken: string[] = [];
  const safeFetch = createSafeFetch(urlPolicy);
  const keys = createKeyRing([randomBytes(32)]);
  const services = {
    db,
    keys,
    clock: systemClock,
    cdnUrl: 'http://127.0.0.1:8081',
    log: createLog({ level: 'silent' }),
    telemetry: createTelemetry(),
    tracing: NO_TRACING,
    limits: TEST_LIMITS,
    wake: (queues: readonly string[]) => void woken.push(...queues),
    safeFetch,
    deliveryDesk: createDeliveryDesk({ db, keys }),
    webhookHeaderPrefix: 'Service',
  };
  const boss: PgBoss = createBoss({ pool: db.pool, supervise: false, onError: () => {} });
  await boss.start();

  const start = bindHandler('deliver-webhook', services as unknown as WorkerServices);
  const run = async (jobs: ReadonlyArray<{ id: string; data: unknown }>): Promise<void> => {
    const { signal } = new AbortController();
    await Promise.all(start(jobs.map(({ id, data }) => ({ id, data, signal }))));
    if (jobs.length > 0) {
      await boss.complete(
        QUEUE,
        jobs.map(({ id }) => id),
      );
    }
  };

  return {
    services,
    woken,
    /** The jobs that are due now, as a worker would fetch them. */
    fetch: () => boss.fetch<unknown>(QUEUE, { batchSize: MAX_JOBS }),
    run,
    /** Runs all due jobs; returns their number. */
    async work(): Promise<number> {
      const jobs = await boss.fetch<unknown>(QUEUE, { batchSize: MAX_JOBS });
      await run(jobs);
      return jobs.length;
    },
    addEndpoint: (endpoint: Omit<NewEndpoint, 'events'> & Partial<NewEndpoint>) =>
      withTx(db, (tx) =>
        createEndpoint(tx, { keys: services.keys, urlPolicy }, { events: EVENT_TYPES, actor: 'test', ...endpoint }),
      ),
    /** Simulates elapsed time for one delivery: moves its timestamps and its job into the past. */
    async passTime(deliveryId: string, seconds: number): Promise<void> {
      const move = (text: string) => owner.pool.query(text, [deliveryId, seconds]);
      await move(`UPDATE attempt SET started_at = started_at - $2 * interval '1 second',
        finished_at = finished_at - $2 * interval '1 second' WHERE delivery_id = $1`);
      await move(`UPDATE delivery SET next_at = next_at - $2 * interval '1 second',
        created_at = created_at - $2 * interval '1 second' WHERE id = $1`);
      await move(`UPDATE pgboss.job SET start_after = start_after - $2 * interval '1 second'
        WHERE name = '${QUEUE}' AND state = 'created' AND data ->> 'deliveryId' = $1::uuid::text`);
    },
    async close(): Promise<void> {
      await boss.stop({ graceful: false });
      safeFetch.close();
    },
  };
}

export type WebhookSetup = Awaited<ReturnType<typeof createWebhookSetup>>;
