import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Daemon, isRunning } from './daemon.ts';

export const DAEMONS = ['postgres', 'redis', 'cephMon', 'cephOsd', 'radosgw'] as const;
export type DaemonName = (typeof DAEMONS)[number];

/** The content of `services.json`. */
export type BackingServices = {
  postgresUrl: string;
  redisUrl: string;
  s3: { endpoint: string; accessKey: string; secretKey: string; region: string; bucket: string };
  pids: Partial<Record<DaemonName, number>>;
  ports: { postgres: number; redis: number; s3: number; cephMon: number };
  /** The folder of services.json. */
  dir: string;
  /** The folder of the data: the same, unless the PostgreSQL user cannot access it. */
  dataDir: string;
  /** Null until all three respond and the bucket exists. */
  readyAt: string | null;
};

export const REPOSITORY_ROOT = join(import.meta.dirname, '..', '..');
export const DEFAULT_DIR = join(REPOSITORY_ROOT, '.services');

export function stateFile(dir: string): string {
  return join(dir, 'services.json');
}

export function loadState(file: string): BackingServices | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  return JSON.parse(text) as BackingServices;
}

/** Replaces the file atomically, so that readers never see a partial one. */
export function saveState(services: BackingServices): void {
  const file = stateFile(services.dir);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.${process.pid}`, `${JSON.stringify(services, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.${process.pid}`, file);
}

export function recordPid(services: BackingServices, name: DaemonName, pid: number | undefined): void {
  if (pid === undefined) delete services.pids[name];
  else services.pids[name] = pid;
  saveState(services);
}

const PROGRAMS: Record<DaemonName, string> = {
  postgres: 'postgres',
  redis: 'redis-server',
  cephMon: 'ceph-mon',
  cephOsd: 'ceph-osd',
  radosgw: 'radosgw',
};

export function daemonMarker(services: BackingServices, name: DaemonName): string {
  if (name === 'postgres') return postgresDir(services);
  // Redis replaces its command line with its name and address.
  if (name === 'redis') return `127.0.0.1:${services.ports.redis}`;
  return cephConfFile(services);
}

export function daemonOf(services: BackingServices, name: DaemonName): Daemon | null {
  const pid = services.pids[name];
  return pid === undefined ? null : { program: PROGRAMS[name], pid, marker: daemonMarker(services, name) };
}

export function isDaemonRunning(services: BackingServices, name: DaemonName): boolean {
  const daemon = daemonOf(services, name);
  return daemon !== null && isRunning(daemon);
}

export function postgresDir(services: BackingServices): string {
  return join(services.dataDir, 'postgres');
}

export function cephDir(services: BackingServices): string {
  return join(services.dataDir, 'ceph');
}

export function cephConfFile(services: BackingServices): string {
  return join(cephDir(services), 'ceph.conf');
}

export function logFile(services: BackingServices, name: DaemonName): string {
  return join(services.dataDir, `${name}.log`);
}
