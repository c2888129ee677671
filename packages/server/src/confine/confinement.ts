import { closeSync, existsSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeSpoolDir } from './sweep-spool.ts';
import { syscallFilter } from './syscall-filter.ts';

export type ConfineMode = 'bwrap' | 'none';

/** Hard limits that the kernel enforces for one program. */
export interface ProgramLimits {
  cpuSeconds: number;
  /** The largest file it may write; pipes are not files. */
  fileBytes: number;
  /** Address space. Not for programs that reserve far more than they use. */
  addressBytes?: number;
  /** Writable private memory. */
  dataBytes?: number;
  /** Wall clock, enforced even if this process dies. */
  wallSeconds?: number;
  openFiles?: number;
  /** Processes and threads. */
  processes?: number;
}

export interface Mount {
  from: string;
  to: string;
  writable?: boolean;
}

export interface ConfinedProgram {
  /** Built from the mounts, because a path differs inside and outside. */
  command: (place: (outside: string) => string) => string[];
  mounts: readonly Mount[];
  limits: ProgramLimits;
  /** The size of its private in-memory /tmp, the only private path that it can write to. */
  tmpBytes?: number;
}

export interface Launch {
  file: string;
  args: string[];
  /** To be passed as descriptor 3, or null where no filter applies. */
  filterFd: number | null;
  closeFilter: () => void;
}

export interface Confinement {
  mode: ConfineMode;
  launch: (program: ConfinedProgram) => Launch;
  close: () => void;
}

/** The whole environment of the launching programs; the confined program sees less. */
export const LAUNCH_ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8' };

const MAX_OPEN_FILES = 64;
const MAX_PROCESSES = 64;
const KILL_AFTER_SECONDS = 1;
const NICENESS = 10;
const FILTER_FD = 3;

/** Programs, their libraries and fonts: no secrets. */
const SYSTEM_PATHS = [
  '/lib',
  '/lib64',
  '/bin',
  '/etc/alternatives',
  '/etc/fonts',
  '/etc/ld.so.cache',
  '/etc/ld.so.conf',
  '/etc/ld.so.conf.d',
];

/** Describes how to start programs that touch untrusted files: no network, no environment, no files but those named. */
export function createConfinement({ mode, spoolDir }: { mode: ConfineMode; spoolDir: string }): Confinement {
  const filter = mode === 'bwrap' ? syscallFilter() : null;
  const dir = makeSpoolDir({ spoolDir, use: 'confine' });
  const filterPath = join(dir, 'syscalls.bpf');
  if (filter) writeFileSync(filterPath, filter);
  /** A new descriptor for every start, because bubblewrap reads it to the end. Recreates a removed spool. */
  const openFilter = (content: Buffer): number => {
    if (!existsSync(filterPath)) {
      mkdirSync(dir, { recursive: true });
      writeFileSync(filterPath, content);
    }
    return openSync(filterPath, 'r');
  };

  return {
    mode,
    launch(program) {
      const mounts = mode === 'bwrap' ? program.mounts : program.mounts.map((mount) => ({ ...mount, to: mount.from }));
      const place = (outside: string) => {
        const mount = mounts.find(({ from }) => outside === from || outside.startsWith(`${from}/`));
        return mount ? mount.to + outside.slice(mount.from.length) : outside;
      };
      const command = program.command(place);
      const limited = limit(program.limits);
      if (mode === 'none') {
        return { file: limited[0]!, args: [...limited.slice(1), ...command], filterFd: null, closeFilter: () => {} };
      }
      const filterFd = filter ? openFilter(filter) : null;
      const processes = program.limits.processes ?? MAX_PROCESSES;
      const box = confine({ mounts, filtered: filterFd !== null, processes, tmpBytes: program.tmpBytes ?? null });
      return {
        file: limited[0]!,
        args: [...limited.slice(1), ...box, ...command],
        filterFd,
        closeFilter: () => {
          if (filterFd !== null) closeSync(filterFd);
        },
      };
    },
    close: () => rmSync(dir, { recursive: true, force: true }),
  };
}

function limit(limits: ProgramLimits): string[] {
  return [
    // Lower priority than the process that answers requests, which wakes often and briefly.
    ...['nice', '-n', `${NICENESS}`],
    'prlimit',
    `--cpu=${limits.cpuSeconds}`,
    `--fsize=${limits.fileBytes}`,
    `--nofile=${limits.openFiles ?? MAX_OPEN_FILES}`,
    '--core=0',
    ...(limits.addressBytes === undefined ? [] : [`--as=${limits.addressBytes}`]),
    ...(limits.dataBytes === undefined ? [] : [`--data=${limits.dataBytes}`]),
    '--',
    ...(limits.wallSeconds === undefined ? [] : ['timeout', '-k', `${KILL_AFTER_SECONDS}`, `${limits.wallSeconds}`]),
  ];
}

function confine({
  mounts,
  filtered,
  processes,
  tmpBytes,
}: {
  mounts: readonly Mount[];
  filtered: boolean;
  processes: number;
  tmpBytes: number | null;
}): string[] {
  return [
    'bwrap',
    '--unshare-all',
    '--die-with-parent',
    '--new-session',
    ...['--cap-drop', 'ALL'],
    '--clearenv',
    ...['--setenv', 'PATH', '/usr/bin:/bin'],
    ...['--setenv', 'LANG', 'C.UTF-8'],
    ...['--ro-bind', '/usr', '/usr'],
    ...SYSTEM_PATHS.flatMap((path) => ['--ro-bind-try', path, path]),
    ...['--dev', '/dev'],
    ...mounts.flatMap(({ from, to, writable }) => [writable ? '--bind' : '--ro-bind', from, to]),
    ...(tmpBytes === null ? [] : ['--size', `${tmpBytes}`, '--tmpfs', '/tmp']),
    // Both are in memory without a limit: data written there would count against no process.
    ...['--remount-ro', '/dev', '--remount-ro', '/'],
    ...['--chdir', '/'],
    ...(filtered ? ['--seccomp', `${FILTER_FD}`] : []),
    '--',
    // Counted inside the new user namespace, so our own threads do not use it up.
    'prlimit',
    `--nproc=${processes}`,
    '--',
  ];
}
