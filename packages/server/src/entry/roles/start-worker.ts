import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { describeBucket } from '../../domain/assets/bucket/bucket-ownership.ts';
import { listUnserved } from '../../domain/generations/read/list-queue.ts';
import { createPollWakes, POLL_PREFIX } from '../../domain/generations/run/callbacks.ts';
import { findOfferedTargets } from '../../domain/generations/run/serving.ts';
import { tellOffers, type Unavailable } from '../../domain/operator/offer-board.ts';
import { createDeliveryDesk } from '../../domain/webhooks/deliveries/create-delivery-desk.ts';
import { bindHandler } from '../../jobs/handlers.ts';
import type { WorkerServices } from '../../jobs/job-handler.ts';
import { errorFields, errorFieldsWithoutMessage } from '../../platform/log.ts';
import { createMailer } from '../../platform/mail.ts';
import { createSafeFetch } from '../../platform/safe-fetch.ts';
import { createBoss, createQueueDb } from '../../queue/create-boss.ts';
import { type QueueName, queues } from '../../queue/queues.ts';
import { type Pump, startPump } from '../../queue/start-pump.ts';
import { listenForWakes } from '../../queue/wake.ts';
import type { Composed } from '../compose.ts';
import type { Config } from '../config/config.ts';
import { createContentCheck } from '../create-content-check.ts';
import { createProviders } from '../create-providers.ts';
import { createDirectDb } from '../direct-db.ts';
import { readUrlPolicy } from '../read-url-policy.ts';
import { logUnservedRoutes } from './log-unserved-routes.ts';
import { registerCircuits } from './open-work-metrics.ts';
import type { Role } from './role.ts';

const QUEUE_CONNECTIONS = 6;
/** A worker that has not reached its queues for this long offers nothing. Covers two failed fetches. */
const FETCH_WITHIN_MS = 14_000;
const SLOW_STATEMENT_TIMEOUT_MS = 600_000;

export async function startWorker(config: Config, composed: Composed): Promise<Role> {
  const { log } = composed.services;
  const onError = (error: Error) => log.warn('job queue error', errorFields(error));
  const queueDb = createQueueDb({
    url: config.databaseDirectUrl,
    applicationName: 'atelier-queue',
    maxConnections: QUEUE_CONNECTIONS,
    onIdleError: onError,
  });
  // Connects when it is used.
  const slowDb = createDirectDb(config, {
    applicationName: 'atelier-verify',
    maxConnections: 1,
    statementTimeoutMs: SLOW_STATEMENT_TIMEOUT_MS,
    onIdleError: onError,
  });
  const boss = createBoss({ pool: queueDb.pool, supervise: true, onError });
  await boss.start();
  const safeFetch = createSafeFetch(readUrlPolicy(config));
  const mail = createMailer({ smtpUrl: config.signIn.smtpUrl, from: config.signIn.mailFrom, log });
  const providers = await createProviders(config, log);
  const contentCheck = createContentCheck(config, { local: providers.local, engines: providers.engines, log });
  registerCircuits(composed.services.telemetry.registry, providers.circuits);
  const pollWakes = createPollWakes();
  /** What this worker can run while these checks are unavailable. Without the bucket, outputs could not be stored. */
  const findOffered = (gaps: ReturnType<typeof contentCheck.findGaps>) =>
    !composed.dependencies.isUp('object_store')
      ? []
      : findOfferedTargets(composed.services.catalog(), {
          targets: providers.targets(),
          gaps: new Set(gaps.map(({ check }) => check)),
        });
  const services: WorkerServices = {
    ...composed.services,
    workerId: `${hostname()}-${process.pid}-${randomBytes(3).toString('hex')}`,
    providers: providers.all,
    offered: () => findOffered(contentCheck.findGaps()),
    contentCheck,
    safeFetch,
    pollWakes,
    deliveryDesk: createDeliveryDesk(composed.services),
    webhookHeaderPrefix: config.webhookHeaderPrefix,
    mail,
    consoleUrl: config.consoleUrl,
    slowDb,
  };
  const pumps = new Map<QueueName, Pump>();
  const concurrencyOf = (queue: QueueName) =>
    queue === 'deliver-webhook'
      ? config.webhookConcurrency
      : queue === 'run-local'
        ? config.localConcurrency
        : queue.startsWith('run-')
          ? config.workerConcurrency
          : 1;
  for (const queue of Object.keys(queues) as QueueName[]) {
    pumps.set(
      queue,
      startPump({
        boss,
        queue,
        concurrency: concurrencyOf(queue),
        start: bindHandler(queue, services),
        isPaused: () => services.switches.current().readOnly !== null,
        // An error of a run may repeat a provider's message, which may contain customer input.
        onError: (error, jobId) =>
          jobId === null
            ? log.warn('job queue request failed', { queue, ...errorFields(error) })
            : log.warn('job returned to queue', {
                queue,
                jobId,
                ...(queue.startsWith('run-') ? errorFieldsWithoutMessage(error) : errorFields(error)),
              }),
        onActive: (count) => services.telemetry.activeJobs.set({ queue }, count),
      }),
    );
  }
  const lastFetchMs = () => Math.min(...[...pumps.values()].map((pump) => pump.lastAnswerMs()));
  const isFetching = () => performance.now() - lastFetchMs() < FETCH_WITHIN_MS;
  composed.dependencies.add('queue', async () => {
    if (!isFetching()) throw new Error(`no answer of the queues within ${FETCH_WITHIN_MS} ms`);
  });
  let toldGaps = '';
  const tellGaps = (reason: string) => {
    if (reason !== toldGaps && reason !== '')
      log.error('required safety checks unavailable: models that need them are disabled', { reason });
    toldGaps = reason;
  };
  const findClosedChecks = (): Unavailable[] =>
    contentCheck.findGaps().map(({ check, reason }) => ({ kind: 'check', name: `safety-${check}`, reason }));
  const offers = await tellOffers(services, {
    worker: services.workerId,
    targets: () => {
      const gaps = contentCheck.findGaps();
      tellGaps(gaps.map(({ check, reason }) => `${check}: ${reason}`).join('; '));
      return isFetching() ? findOffered(gaps) : [];
    },
    unavailable: () => [
      ...Object.entries(composed.dependencies.details()).map(([name, reason]) => ({
        kind: 'check' as const,
        name,
        reason,
      })),
      ...findClosedChecks(),
      ...providers.engines
        .unavailable()
        .map(({ engine, missing }) => ({ kind: 'engine' as const, name: engine, reason: missing.join(', ') })),
    ],
    onError: (error) => onError(error as Error),
  });
  const listener = listenForWakes({
    url: config.databaseDirectUrl,
    onWake: (name) => (name.startsWith(POLL_PREFIX) ? pollWakes.wake(name) : pumps.get(name as QueueName)?.wake()),
    onError,
  });
  const routes = logUnservedRoutes(services, providers);
  log.info('worker started', { workerId: services.workerId });
  return {
    name: 'worker',
    addresses: [],
    lastWorkMs: lastFetchMs,
    async details() {
      const refused = (await describeBucket(services)).filter((state) => state.refusal !== null);
      services.telemetry.bucketRefusals.set(refused.length);
      const unserved = await listUnserved(services);
      services.telemetry.unservedGenerations.set(
        unserved.reduce((sum, { waiting, queued }) => sum + waiting + queued, 0),
      );
      return Object.fromEntries([
        ...Object.entries(composed.details()),
        ...refused.map(({ prefix, refusal }) => [`bucket ${prefix || '(no prefix)'}`, `${refusal}`]),
        ...findClosedChecks().map(({ name, reason }) => [name, `disables the models that require it: ${reason}`]),
        ...unserved.map(({ modelId, waiting, queued, oldestSeconds }) => [
          `queue ${modelId}`,
          `no worker offers this model; ${waiting + queued} queued, the oldest for ${oldestSeconds} s`,
        ]),
      ]);
    },
    async stop() {
      routes.close();
      await offers.stop();
      // A check of the books may take minutes, and a later one repeats it.
      const drainMs = (queue: QueueName) => (queue === 'verify-books' ? 0 : config.shutdownMs);
      await Promise.all([...pumps].map(([queue, pump]) => pump.drain(drainMs(queue))));
      await listener.close();
      await boss.stop({ graceful: false });
      await providers.close();
      safeFetch.close();
      await mail.close();
      await queueDb.pool.end();
      // Not awaited: it waits for the statement that runs.
      void slowDb.pool.end();
    },
  };
}
