/** Outages for tests, on the services of the current folder. A restarted service uses the same port. */
import { startGateway, stopGateway } from './ceph.ts';
import * as postgres from './postgres.ts';
import { currentDir } from './read-services.ts';
import * as redis from './redis.ts';
import { type BackingServices, isDaemonRunning, loadState, stateFile } from './state.ts';

type Where = { dir?: string };

function recorded(where: Where): BackingServices {
  const dir = where.dir ?? currentDir();
  const services = loadState(stateFile(dir));
  if (!services?.readyAt) throw new Error(`no services are running in ${dir}`);
  return services;
}

export async function stopPostgres(options: Where & { mode: postgres.PostgresStopMode }): Promise<void> {
  await postgres.stopPostgres(recorded(options), options.mode);
}

export async function startPostgres(options: Where = {}): Promise<void> {
  const services = recorded(options);
  if (!isDaemonRunning(services, 'postgres')) await postgres.startPostgres(services);
}

/** `immediate` acts like a crash: unflushed data is lost, and the next start recovers from the log. */
export async function restartPostgres(options: Where & { mode: postgres.PostgresStopMode }): Promise<void> {
  await stopPostgres(options);
  await startPostgres(options);
}

export async function stopRedis(options: Where = {}): Promise<void> {
  await redis.stopRedis(recorded(options));
}

/** Redis is empty after the restart. */
export async function startRedis(options: Where = {}): Promise<void> {
  const services = recorded(options);
  if (!isDaemonRunning(services, 'redis')) await redis.startRedis(services);
}

export async function stopS3(options: Where = {}): Promise<void> {
  await stopGateway(recorded(options));
}

/** The files are kept. */
export async function startS3(options: Where = {}): Promise<void> {
  const services = recorded(options);
  if (!isDaemonRunning(services, 'radosgw')) await startGateway(services);
}
