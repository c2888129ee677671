import { rmdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { stopDaemon } from './daemon.ts';
import { lockDir } from './lock-dir.ts';
import { currentDir } from './read-services.ts';
import { type BackingServices, DAEMONS, type DaemonName, daemonOf, loadState, logFile, stateFile } from './state.ts';

const STOP_TIMEOUT_MS = 10_000;

// The data is deleted, so no graceful stop is needed. Only PostgreSQL has children, which it ends on SIGQUIT.
const SIGNALS: Record<DaemonName, NodeJS.Signals> = {
  postgres: 'SIGQUIT',
  redis: 'SIGKILL',
  cephMon: 'SIGKILL',
  cephOsd: 'SIGKILL',
  radosgw: 'SIGKILL',
};

/** Stops the services of the folder and removes their data. False if there were none. */
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

/** The caller must hold the lock. */
export async function stopRecorded(services: BackingServices): Promise<void> {
  await Promise.all(
    DAEMONS.map(async (name) => {
      const daemon = daemonOf(services, name);
      if (daemon) await stopDaemon(daemon, { signal: SIGNALS[name], timeoutMs: STOP_TIMEOUT_MS });
    }),
  );
  // Only files created by the start: the folder can contain other files.
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
