import { rm } from 'node:fs/promises';
import { errorFields } from '../../platform/log.ts';
import { createTelemetry } from '../../platform/telemetry.ts';
import { type Composed, compose } from '../compose.ts';
import type { Config } from '../config/config.ts';
import { requireMasterKeys } from '../require-master-keys.ts';
import { requireSessionSettings } from '../require-session-settings.ts';
import { warnAtStart } from '../warn-at-start.ts';
import { exitWhenStuck } from './exit-when-stuck.ts';
import type { Role } from './role.ts';
import { startMetrics } from './start-metrics.ts';
import { watchDependencies } from './watch-dependencies.ts';

type Start = (config: Config, composed: Composed) => Promise<Role>;

/** A role loads only its own modules: an API or cdn process needs no package of the engines. */
const startApi: Start = async (...given) => (await import('./start-api.ts')).startApi(...given);
const startWorker: Start = async (...given) => (await import('./start-worker.ts')).startWorker(...given);
const startCdn: Start = async (...given) => (await import('./start-cdn.ts')).startCdn(...given);
const startDesk: Start = async (...given) => (await import('./start-desk.ts')).startDesk(...given);
const startConsole: Start = async (...given) => (await import('./start-console.ts')).startConsole(...given);

const starters: Readonly<Record<string, readonly Start[]>> = {
  api: [startApi],
  worker: [startWorker],
  cdn: [startCdn],
  console: [startConsole],
  desk: [startDesk],
  // The console first: loading its sign-in library takes a second, during which a worker that runs would not answer.
  all: [startConsole, startApi, startWorker, startCdn],
};

/** Different defaults, so that the roles can run on one host with the same settings. */
const METRICS_PORTS: Readonly<Record<string, number>> = {
  api: 9464,
  all: 9464,
  worker: 9465,
  cdn: 9466,
  console: 9467,
  desk: 9468,
};

/**
 * Starts the roles of this process and runs until a signal, then drains, listeners first. Metrics and health start first, so
 * that a process that waits for its parts is alive but not ready. A process that cannot start cleans up.
 */
export async function runRoles(config: Config, name: string): Promise<void> {
  const telemetry = createTelemetry();
  const roles: Role[] = [];
  const metricsPort = config.metricsPort ?? METRICS_PORTS[name] ?? 0;
  const wanted = starters[name] ?? [];
  const dependencies = watchDependencies(telemetry.registry);
  let stopping = false;
  const metrics =
    metricsPort === 0
      ? null
      : await startMetrics({
          host: config.host,
          port: metricsPort,
          telemetry,
          ready: () => roles.length === wanted.length && !stopping,
          roles,
          dependencies,
        });
  let composed: Composed;
  try {
    composed = await compose(config, name, { telemetry, dependencies });
    await requireSessionSettings(composed.services);
    await requireMasterKeys(composed.services);
    for (const start of wanted) roles.push(await start(config, composed));
    // Last: loading the modules of a role keeps the process busy, so that its checks would time out.
    void warnAtStart(config, composed.services, name);
  } catch (error) {
    await rm(config.spoolDir, { recursive: true, force: true });
    throw error;
  }
  const { log } = composed.services;
  const watch = exitWhenStuck({
    db: composed.services.db,
    databaseUrl: config.databaseUrl,
    log,
    afterMs: config.stuckExitMs,
    lastWorkMs: roles.flatMap((role) => (role.lastWorkMs === undefined ? [] : [role.lastWorkMs])),
    exit: () => process.exit(1),
  });
  const stop = async (signal: string) => {
    if (stopping) return;
    stopping = true;
    watch.stop();
    log.info('stopping', { signal });
    setTimeout(() => process.exit(1), config.shutdownMs + 10_000).unref();
    for (const role of roles) {
      await role.stop().catch((error: unknown) => log.error('stopping a role failed', errorFields(error)));
    }
    await metrics?.stop();
    await composed.close().catch((error: unknown) => log.error('closing connections failed', errorFields(error)));
    await rm(config.spoolDir, { recursive: true, force: true });
    process.exit(0);
  };
  process.on('SIGTERM', () => void stop('SIGTERM'));
  process.on('SIGINT', () => void stop('SIGINT'));
  process.send?.({ ready: true });
}
