import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createBucket, startCeph } from './ceph.ts';
import { lockDir } from './lock-dir.ts';
import { pickFreePort } from './pick-free-port.ts';
import { canPostgresEnter, createPostgres, startPostgres } from './postgres.ts';
import { currentDir, readServices } from './read-services.ts';
import { startRedis } from './redis.ts';
import { type BackingServices, loadState, saveState, stateFile } from './state.ts';
import { stopRecorded } from './stop-services.ts';

const WORLD_READABLE = 0o755;

/** Starts the three services, or returns the running ones. */
export async function startServices(options: { dir?: string } = {}): Promise<BackingServices> {
  const dir = resolve(options.dir ?? currentDir());
  mkdirSync(dir, { recursive: true, mode: WORLD_READABLE });
  const unlock = await lockDir(dir);
  try {
    const running = readServices({ dir });
    if (running) return running;
    const remains = loadState(stateFile(dir));
    if (remains) await stopRecorded(remains);
    return await startFresh(dir);
  } finally {
    unlock();
  }
}

async function startFresh(dir: string): Promise<BackingServices> {
  const services = await planServices(dir);
  mkdirSync(services.dataDir, { recursive: true, mode: WORLD_READABLE });
  for (const name of ['postgres', 'ceph']) rmSync(join(services.dataDir, name), { recursive: true, force: true });
  saveState(services);
  const results = await Promise.allSettled([
    createPostgres(services).then(() => startPostgres(services)),
    startRedis(services),
    startCeph(services).then(() => createBucket(services)),
  ]);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) {
    await stopRecorded(services);
    throw failed.reason;
  }
  services.readyAt = new Date().toISOString();
  saveState(services);
  return services;
}

async function planServices(dir: string): Promise<BackingServices> {
  const ports = new Set<number>();
  while (ports.size < 4) ports.add(await pickFreePort());
  const [postgres, redis, s3, cephMon] = [...ports] as [number, number, number, number];
  return {
    postgresUrl: `postgres://postgres@127.0.0.1:${postgres}/postgres`,
    redisUrl: `redis://127.0.0.1:${redis}`,
    s3: {
      endpoint: `http://127.0.0.1:${s3}`,
      accessKey: randomBytes(10).toString('hex'),
      secretKey: randomBytes(20).toString('hex'),
      region: 'us-east-1',
      bucket: 'atelier',
    },
    pids: {},
    ports: { postgres, redis, s3, cephMon },
    dir,
    dataDir: canPostgresEnter(dir) ? dir : fallbackDataDir(dir),
    readyAt: null,
  };
}

function fallbackDataDir(dir: string): string {
  return join(tmpdir(), `atelier-services-${createHash('sha256').update(dir).digest('hex').slice(0, 12)}`);
}
