import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 25;
const KILL_TIMEOUT_MS = 5_000;
const LOG_TAIL_LINES = 15;

/** A long-running program that keeps running after the process that started it exits. */
export type Daemon = {
  program: string;
  pid: number;
  /** A part of the command line that identifies this run of the program. */
  marker: string;
};

type StartOptions = {
  program: string;
  args: string[];
  marker: string;
  logFile: string;
  cwd: string;
  user?: { uid: number; gid: number } | undefined;
};

export function startDaemon(options: StartOptions): Daemon {
  const log = openSync(options.logFile, 'a');
  try {
    const child = spawn(options.program, options.args, {
      cwd: options.cwd,
      // In its own session, so that Ctrl-C in the terminal does not reach it.
      detached: true,
      stdio: ['ignore', log, log],
      ...options.user,
    });
    child.on('error', () => undefined);
    if (child.pid === undefined) throw new Error(`cannot start ${options.program}`);
    child.unref();
    return { program: basename(options.program), pid: child.pid, marker: options.marker };
  } finally {
    closeSync(log);
  }
}

/** Also false if another program reuses the pid, or if the process is a zombie. */
export function isRunning(daemon: Daemon): boolean {
  try {
    const status = readFileSync(`/proc/${daemon.pid}/stat`, 'latin1');
    if (status.slice(status.lastIndexOf(')') + 2).startsWith('Z')) return false;
    const words = readFileSync(`/proc/${daemon.pid}/cmdline`, 'utf8').split('\0').join(' ');
    return basename(words.split(' ')[0] ?? '') === daemon.program && words.includes(daemon.marker);
  } catch {
    return false;
  }
}

export async function stopDaemon(daemon: Daemon, options: { signal: NodeJS.Signals; timeoutMs: number }) {
  if (!isRunning(daemon)) return;
  process.kill(daemon.pid, options.signal);
  if (await isGone(daemon, options.timeoutMs)) return;
  process.kill(daemon.pid, 'SIGKILL');
  if (await isGone(daemon, KILL_TIMEOUT_MS)) return;
  throw new Error(`${daemon.program} (pid ${daemon.pid}) does not exit`);
}

async function isGone(daemon: Daemon, timeoutMs: number): Promise<boolean> {
  const end = Date.now() + timeoutMs;
  while (Date.now() < end) {
    if (!isRunning(daemon)) return true;
    await sleep(POLL_MS);
  }
  return !isRunning(daemon);
}

/** Waits until the probe succeeds. Fails immediately if the program exits first. */
export async function waitUntilReady(
  daemon: Daemon,
  options: { probe: () => Promise<boolean>; timeoutMs: number; logFile: string },
): Promise<void> {
  const end = Date.now() + options.timeoutMs;
  // Between fork and exec the child still has the name of its parent.
  const execEnd = Date.now() + 500;
  while (Date.now() < end) {
    if (await options.probe()) return;
    if (!isRunning(daemon) && Date.now() > execEnd) break;
    await sleep(POLL_MS);
  }
  const why = isRunning(daemon) ? `is not ready after ${options.timeoutMs} ms` : 'exited during startup';
  throw new Error(`${daemon.program} ${why}. The end of its log:\n${logTail(options.logFile)}`);
}

function logTail(file: string): string {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-LOG_TAIL_LINES).join('\n');
  } catch {
    return '(no log)';
  }
}
