import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from './sandbox/free-ports.ts';
import { readRecord, recordFile, type SandboxRecord } from './sandbox/registry.ts';
import { REPOSITORY_ROOT } from './services/state.ts';

const HELP = `Runs a command against a sandbox of its own, verifies the books afterwards, and stops the sandbox.

Usage: node scripts/with-sandbox.ts [--clock] COMMAND [ARGUMENT ...]

  --clock   the option of the sandbox

The command finds the description of the sandbox in the file that CONFORMANCE_FIXTURE and ATELIER_FIXTURE name.
Exits with the status of the command, or with 1 if the sandbox does not start, verify or stop.
`;
/** Sandboxes of one clone start one after another. */
const START_MS = 120_000;
const STOP_MS = 30_000;
const POLL_MS = 100;
const LOG_TAIL_LINES = 40;

const isAlive = (child: ChildProcess) => child.exitCode === null && child.signalCode === null;

/** The record of the sandbox on this port once it is ready. */
async function waitUntilReady(sandbox: ChildProcess, port: number): Promise<SandboxRecord> {
  const end = Date.now() + START_MS;
  while (isAlive(sandbox) && Date.now() < end) {
    const record = readRecord(recordFile(port));
    if (record?.env !== undefined) return record;
    await sleep(POLL_MS);
  }
  throw new Error('the sandbox did not become ready');
}

async function run(command: readonly string[], env: Readonly<Record<string, string>>): Promise<number> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { stdio: 'inherit', env: { ...process.env, ...env } });
  const [code] = (await once(child, 'close')) as [number | null];
  return code ?? 1;
}

/** Like Ctrl-C in the terminal of the sandbox. */
async function stop(sandbox: ChildProcess): Promise<void> {
  sandbox.kill('SIGINT');
  const end = Date.now() + STOP_MS;
  while (isAlive(sandbox) && Date.now() < end) await sleep(POLL_MS);
  const stopped = !isAlive(sandbox);
  try {
    process.kill(-(sandbox.pid as number), 'SIGKILL');
  } catch {
    // The group has ended.
  }
  if (!stopped) throw new Error('the sandbox did not stop on SIGINT');
  if (sandbox.exitCode !== 0 && sandbox.exitCode !== 130) {
    throw new Error(`the sandbox exited with ${sandbox.exitCode ?? sandbox.signalCode}`);
  }
}

async function main(command: readonly string[], options: readonly string[]): Promise<number> {
  const [port] = (await freePorts(1)) as [number];
  const work = mkdtempSync(join(tmpdir(), 'atelier-with-sandbox-'));
  const logFile = join(work, 'sandbox.log');
  const log = openSync(logFile, 'w');
  const sandbox = spawn('node', ['scripts/sandbox.ts', '--port', String(port), ...options], {
    cwd: REPOSITORY_ROOT,
    // The command has ended: what it left running need not be finished.
    env: { ...process.env, SHUTDOWN_SECONDS: '2' },
    // Its own group, so that what is left of it can be ended.
    detached: true,
    stdio: ['ignore', log, log],
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => sandbox.kill('SIGINT'));
  try {
    const record = await waitUntilReady(sandbox, port);
    const fixture = recordFile(port);
    const status = await run(command, { CONFORMANCE_FIXTURE: fixture, ATELIER_FIXTURE: fixture });
    const verified = await run(['node', join(REPOSITORY_ROOT, 'packages/server/src/main.ts'), 'verify'], {
      DATABASE_URL: record.databaseUrl as string,
    });
    await stop(sandbox);
    return status !== 0 ? status : verified;
  } catch (error) {
    const tail = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-LOG_TAIL_LINES).join('\n');
    console.error(`${(error as Error).message}. The end of its log:\n${tail}`);
    await stop(sandbox).catch(() => {});
    return 1;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const given = process.argv.slice(2);
const options = given[0] === '--clock' ? ['--clock'] : [];
const command = given.slice(options.length);
if (command.length === 0 || command[0] === '--help') {
  process.stdout.write(HELP);
  process.exitCode = command.length === 0 ? 2 : 0;
} else {
  process.exitCode = await main(command, options);
}
