import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { startDaemon, stopDaemon, waitUntilReady } from './daemon.ts';
import { findProgram } from './find-program.ts';
import { runProgram } from './run-program.ts';
import { type BackingServices, daemonMarker, daemonOf, logFile, postgresDir, recordPid } from './state.ts';

const READY_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 15_000;
const DEBIAN_FOLDER = '/usr/lib/postgresql';
const DEBIAN_PACKAGE = 'postgresql-15';
const OLDEST_VERSION = 15;

export type PostgresStopMode = 'immediate' | 'fast';
const STOP_SIGNALS = { immediate: 'SIGQUIT', fast: 'SIGINT' } as const;

/** PostgreSQL does not run as root; root runs it as the user of the Debian package. */
export function postgresUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string) =>
    Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  try {
    return { uid: idOf('-u'), gid: idOf('-g') };
  } catch {
    throw new Error(`no user named postgres. It comes with the Debian package ${DEBIAN_PACKAGE}; run scripts/setup.`);
  }
}

export function canPostgresEnter(dir: string): boolean {
  return spawnSync('test', ['-x', dir], { cwd: '/', ...postgresUser() }).status === 0;
}

export function findPostgresProgram(program: string): string {
  return findProgram({ program, debianPackage: DEBIAN_PACKAGE, folders: [...chosenFolder(), ...versionFolders()] });
}

/** Another version than the oldest that is installed: scripts/test-postgres. */
function chosenFolder(): string[] {
  const { POSTGRES_BIN = '' } = process.env;
  return POSTGRES_BIN === '' ? [] : [POSTGRES_BIN];
}

function versionFolders(): string[] {
  try {
    return readdirSync(DEBIAN_FOLDER)
      .filter((version) => Number(version) >= OLDEST_VERSION)
      .sort((a, b) => Number(a) - Number(b))
      .map((version) => join(DEBIAN_FOLDER, version, 'bin'));
  } catch {
    return [];
  }
}

export async function createPostgres(services: BackingServices): Promise<void> {
  const user = postgresUser();
  const dir = postgresDir(services);
  mkdirSync(dir, { mode: 0o700 });
  if (user) chownSync(dir, user.uid, user.gid);
  await runProgram(
    findPostgresProgram('initdb'),
    // --no-sync skips only the first flush: the server itself runs with fsync on.
    [
      '-D',
      dir,
      '-U',
      'postgres',
      '--auth=trust',
      '--data-checksums',
      '--encoding=UTF8',
      '--locale=C.UTF-8',
      '--no-sync',
    ],
    { cwd: dir, user },
  );
}

export async function startPostgres(services: BackingServices): Promise<void> {
  const dir = postgresDir(services);
  const port = services.ports.postgres;
  const settings = {
    listen_addresses: '127.0.0.1',
    // TCP only: the path of a socket would exceed the length limit in a deep checkout.
    unix_socket_directories: '',
    max_connections: '300',
    shared_buffers: '256MB',
    fsync: 'on',
    synchronous_commit: 'on',
    log_min_messages: 'warning',
    log_line_prefix: '%m [%p] %d ',
  };
  const log = logFile(services, 'postgres');
  const daemon = startDaemon({
    program: findPostgresProgram('postgres'),
    args: [
      '-D',
      dir,
      '-p',
      String(port),
      ...Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]),
    ],
    marker: daemonMarker(services, 'postgres'),
    logFile: log,
    cwd: dir,
    user: postgresUser(),
  });
  recordPid(services, 'postgres', daemon.pid);
  const isReady = findPostgresProgram('pg_isready');
  const probe = async () =>
    runProgram(isReady, ['-q', '-h', '127.0.0.1', '-p', String(port)], { cwd: '/' }).then(
      () => true,
      () => false,
    );
  await waitUntilReady(daemon, { probe, timeoutMs: READY_TIMEOUT_MS, logFile: log });
}

export async function stopPostgres(services: BackingServices, mode: PostgresStopMode): Promise<void> {
  const daemon = daemonOf(services, 'postgres');
  if (daemon) await stopDaemon(daemon, { signal: STOP_SIGNALS[mode], timeoutMs: STOP_TIMEOUT_MS });
  recordPid(services, 'postgres', undefined);
}
