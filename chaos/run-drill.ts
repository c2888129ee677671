import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type RollingReport, runRolling } from '../e2e/harness/run-rolling.ts';
import { startStack } from '../e2e/harness/start-stack.ts';
import { readServices, startServices, stopServices } from '../scripts/services.ts';
import { findPreviousTag, type Installation, installVersion } from './install-version.ts';

export interface DrillOptions {
  readonly requestsPerSecond: number;
  readonly rounds: number;
  /** The version to upgrade from; null to restart this version. */
  readonly from: string | null;
  readonly onNote: (line: string) => void;
}

type Environment = Readonly<Record<string, string>>;

const ROOT = resolve(import.meta.dirname, '..');
const PROCESSES = 2;
const STEADY_MS = 3_000;
/** Requests per minute, far above the rate of a drill. */
const RATE_LIMIT = 1_000_000;

/**
 * A rolling restart under load, or an upgrade: the old version serves, this version migrates the database under its load, then
 * every process is replaced by one of this version. Both versions run side by side meanwhile.
 */
export async function runDrill(options: DrillOptions): Promise<RollingReport> {
  const old = options.from === null ? null : await installVersion(options.from || (await findPreviousTag()));
  if (old !== null) options.onNote(`from ${old.commit}`);
  const found = readServices();
  const dir = join(tmpdir(), `atelier-drill-${randomBytes(5).toString('hex')}`);
  try {
    const services = found ?? (await startServices({ dir }));
    const stack = await startStack({
      services,
      apis: PROCESSES,
      workers: PROCESSES,
      ...(old === null ? {} : { installation: old.dir, migrate: (env: Environment) => migrateWith(old, env) }),
    });
    try {
      return await runRolling(stack, {
        requestsPerSecond: options.requestsPerSecond,
        rounds: options.rounds,
        steadyMs: STEADY_MS,
        onNote: options.onNote,
        ...(old === null
          ? {}
          : {
              makeKey: (account: { coins: number; runLimit: number }) => makeKeyWith(old, stack.env, account),
              async beforeRestarts() {
                await migrateWith({ dir: ROOT }, stack.env);
                options.onNote('database migrated');
                stack.useInstallation(ROOT);
              },
            }),
      });
    } finally {
      await stack.stop();
    }
  } finally {
    if (!found) await stopServices({ dir });
    await old?.remove();
  }
}

async function migrateWith(version: Pick<Installation, 'dir'>, env: Environment): Promise<void> {
  await runMain(version, env, ['migrate']);
}

/** With commands of that version: functions of this one need its tables. */
async function makeKeyWith(
  version: Pick<Installation, 'dir'>,
  env: Environment,
  limits: { coins: number; runLimit: number },
): Promise<string> {
  const operate = async (...args: string[]) => JSON.parse(await runMain(version, env, [...args, '--json']));
  const { testAccountId: id } = await operate('account', 'create', '--name', 'drill');
  await operate('account', 'grant', '--account', id, '--coins', String(limits.coins), '--reason', 'drill');
  const rate = ['--rate', String(RATE_LIMIT)];
  await operate('account', 'limit', '--account', id, '--running', String(limits.runLimit), ...rate);
  const { key } = await operate('key', 'create', '--account', id, '--name', 'drill', ...rate);
  return key;
}

async function runMain({ dir }: Pick<Installation, 'dir'>, env: Environment, args: readonly string[]): Promise<string> {
  const main = join(dir, 'packages/server/src/main.ts');
  return (await promisify(execFile)(process.execPath, [main, ...args], { env, cwd: dir })).stdout;
}
