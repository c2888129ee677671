/** Outages for tests. Each works on the services of the current folder, and a service comes back on its own port. */
import { startGateway, stopGateway } from './ceph.ts';
import * as postgres from './postgres.ts';
import { currentDir } from './read-services.ts';
import * as redis from './redis.ts';
import { isDaemonRunning, loadState, type Services, stateFile } from './state.ts';

type Where = { dir?: string };

function recorded(where: Where): Services {
  const dir = where.dir ?? currentDir();
  const services = loadState(stateFile(dir));
  if (!services?.readyAt) throw new Error(`no services were started in ${dir}`);
  return services;
}

export async function stopPostgres(options: Where & { mode: postgres.PostgresStopMode }): Promise<void> {
  await postgres.stopPostgres(recorded(options), options.mode);
}

export async function startPostgres(options: Where = {}): Promise<void> {
  const services = recorded(options);
  if (!isDaemonRunning(services, 'postgres')) await postgres.startPostgres(services);
}

/** `immediate` loses everything that was not flushed, as a crash does, and recovers from the log at the start. */
export async function restartPostgres(options: Where & { mode: postgres.PostgresStopMode }): Promise<void> {
  await stopPostgres(options);
  await startPostgres(options);
}

export async function stopRedis(options: Where = {}): Promise<void> {
  await redis.stopRedis(recorded(options));
}

/** It comes back empty. */
export async function startRedis(options: Where = {}): Promise<void> {
  const services = recorded(options);
  if (!isDaemonRunning(services, 'redis')) await redis.startRedis(services);
}

export async function stopS3(options: Where = {}): Promise<void> {
  await stopGateway(recorded(options));
}

/** The files are still there. */
export async function startS3(options: Where = {}): Promise<void> {
  const services = recorded(options);
  if (!isDaemonRunning(services, 'radosgw')) await startGateway(services);
}
