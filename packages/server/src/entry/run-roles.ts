import { rm } from 'node:fs/promises';
import { errorFields } from '../platform/log.ts';
import { type Composed, compose } from './compose.ts';
import type { Config } from './config.ts';
import { exitWhenStuck } from './exit-when-stuck.ts';
import type { Role } from './role.ts';
import { startApi } from './start-api.ts';
import { startCdn } from './start-cdn.ts';
import { startMetrics } from './start-metrics.ts';
import { startWorker } from './start-worker.ts';

const starters: Readonly<Record<string, ReadonlyArray<(config: Config, composed: Composed) => Promise<Role>>>> = {
  api: [startApi],
  worker: [startWorker],
  cdn: [startCdn],
  all: [startApi, startWorker, startCdn],
};

/** Starts the roles of this process and runs until a signal; then drains, doors first. */
export async function runRoles(config: Config, name: string): Promise<void> {
  const composed = await compose(config, name);
  const { log } = composed.services;
  const roles: Role[] = [];
  for (const start of starters[name] ?? []) roles.push(await start(config, composed));
  if (config.metricsPort !== 0) {
    roles.push(
      await startMetrics({
        host: config.host,
        port: config.metricsPort,
        telemetry: composed.services.telemetry,
        roles,
      }),
    );
  }
  const watch = exitWhenStuck({
    db: composed.services.db,
    databaseUrl: config.databaseUrl,
    log,
    afterMs: config.stuckExitMs,
    lastWorkMs: roles.flatMap((role) => (role.lastWorkMs === undefined ? [] : [role.lastWorkMs])),
    exit: () => process.exit(1),
  });
  let stopping = false;
  const stop = async (signal: string) => {
    if (stopping) return;
    stopping = true;
    watch.stop();
    log.info('stopping', { signal });
    setTimeout(() => process.exit(1), config.shutdownMs + 10_000).unref();
    for (const role of roles) {
      await role.stop().catch((error: unknown) => log.error('a role did not stop cleanly', errorFields(error)));
    }
    await composed.close().catch((error: unknown) => log.error('a part did not close cleanly', errorFields(error)));
    await rm(config.spoolDir, { recursive: true, force: true });
    process.exit(0);
  };
  process.on('SIGTERM', () => void stop('SIGTERM'));
  process.on('SIGINT', () => void stop('SIGINT'));
  process.send?.({ ready: true });
}
