import { rmdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { stopDaemon } from './daemon.ts';
import { lockDir } from './lock-dir.ts';
import { currentDir } from './read-services.ts';
import { DAEMONS, type DaemonName, daemonOf, loadState, logFile, type Services, stateFile } from './state.ts';

const STOP_TIMEOUT_MS = 10_000;

// The data is thrown away, so nothing needs an orderly end. PostgreSQL alone has children, which it ends on SIGQUIT.
const SIGNALS: Record<DaemonName, NodeJS.Signals> = {
  postgres: 'SIGQUIT',
  redis: 'SIGKILL',
  cephMon: 'SIGKILL',
  cephOsd: 'SIGKILL',
  radosgw: 'SIGKILL',
};

/** Stops what is recorded in the folder and removes its data. False when there was nothing. */
export async function stopServices(options: { dir?: string } = {}): Promise<boolean> {
  const dir = resolve(options.dir ?? currentDir());
  if (!loadState(stateFile(dir))) return false;
  const unlock = await lockDir(dir);
  try {
    const services = loadState(stateFile(dir));
    if (services) await stopRecorded(services);
  } finally {
    unlock();
  }
  removeIfEmpty(dir);
  return true;
}

/** For a caller that holds the lock. */
export async function stopRecorded(services: Services): Promise<void> {
  await Promise.all(
    DAEMONS.map(async (name) => {
      const daemon = daemonOf(services, name);
      if (daemon) await stopDaemon(daemon, { signal: SIGNALS[name], timeoutMs: STOP_TIMEOUT_MS });
    }),
  );
  // Only what the start has made: the folder may be one that holds other things.
  for (const name of ['postgres', 'ceph']) rmSync(join(services.dataDir, name), { recursive: true, force: true });
  for (const name of DAEMONS) rmSync(logFile(services, name), { force: true });
  rmSync(stateFile(services.dir), { force: true });
  if (services.dataDir !== services.dir) removeIfEmpty(services.dataDir);
}

function removeIfEmpty(dir: string): void {
  try {
    rmdirSync(dir);
  } catch {}
}
