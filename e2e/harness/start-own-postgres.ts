import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pickFreePort } from '../../scripts/services/pick-free-port.ts';
import { createPostgres, postgresUser, startPostgres, stopPostgres } from '../../scripts/services/postgres.ts';
import { type BackingServices, saveState } from '../../scripts/services/state.ts';

/** A separate PostgreSQL for outages, with the given Redis and S3. */
export interface OwnPostgres {
  readonly services: BackingServices;
  /** Like a crash: nothing is flushed, and the next start replays the log. With `kill`, every process gets SIGKILL. */
  crash(options?: { downMs?: number; kill?: boolean }): Promise<{ downAtMs: number; upAtMs: number }>;
  stop(): Promise<void>;
}

const WORLD_READABLE = 0o755;

/** A folder that the server owns: root runs it as another user. */
export function makeServerDir(path: string): string {
  mkdirSync(path, { mode: WORLD_READABLE });
  giveToServer(path);
  return path;
}

export function giveToServer(path: string): void {
  const user = postgresUser();
  if (user) chownSync(path, user.uid, user.gid);
}

/** A folder and a port for another PostgreSQL, which does not run yet, with the given Redis and S3. */
export async function placePostgres(shared: BackingServices): Promise<BackingServices> {
  const dir = makeServerDir(join(tmpdir(), `atelier-postgres-${randomBytes(5).toString('hex')}`));
  const port = await pickFreePort();
  const services: BackingServices = {
    ...shared,
    postgresUrl: `postgres://postgres@127.0.0.1:${port}/postgres`,
    ports: { ...shared.ports, postgres: port },
    pids: {},
    dir,
    dataDir: dir,
    readyAt: new Date().toISOString(),
  };
  saveState(services);
  return services;
}

export async function startOwnPostgres(shared: BackingServices): Promise<OwnPostgres> {
  const services = await placePostgres(shared);
  const { dir } = services;
  try {
    await createPostgres(services);
    await startPostgres(services);
  } catch (error) {
    rmSync(dir, { recursive: true, force: true });
    throw error;
  }
  return {
    services,
    async crash({ downMs = 0, kill = false } = {}) {
      const downAtMs = Date.now();
      if (kill) await killAll(services.pids.postgres as number);
      await stopPostgres(services, 'immediate');
      await sleep(downMs);
      await startPostgres(services);
      return { downAtMs, upAtMs: Date.now() };
    },
    async stop() {
      await stopPostgres(services, 'immediate');
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** The parent first, so that it cannot replace its children. A new server starts only when the old process id is free. */
async function killAll(pid: number): Promise<void> {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
  process.kill(pid, 'SIGKILL');
  for (const child of children) if (exists(child)) process.kill(child, 'SIGKILL');
  while (exists(pid)) await sleep(5);
}

const exists = (pid: number) => existsSync(`/proc/${pid}`);
