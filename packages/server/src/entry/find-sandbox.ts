import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isProcessAlive } from '../platform/spool.ts';
import { ConfigError } from './config/config.ts';

interface Sandbox {
  readonly pid: number;
  readonly port: number;
  readonly baseUrl: string;
  readonly env: Readonly<Record<string, string>>;
}

const CHECKOUT = fileURLToPath(new URL('../../../../', import.meta.url));

type Environment = Readonly<Record<string, string | undefined>>;

/** Commands that run or change an installation never choose one themselves. `weights` needs none. */
const NEVER_IN_SANDBOX = new Set(['api', 'worker', 'cdn', 'console', 'desk', 'all', 'migrate', 'weights']);
const DATABASE_NAMES = ['DATABASE_URL', 'DATABASE_DIRECT_URL', 'DATABASE_OWNER_URL'].flatMap((name) => [
  name,
  `${name}_FILE`,
]);

/**
 * The environment of a command: unchanged if it names a database, else that of a sandbox running in this checkout.
 * `ATELIER_SANDBOX` chooses one by its port when several run.
 */
export function findCommandEnv(command: string, env: Environment = process.env): Environment {
  if (NEVER_IN_SANDBOX.has(command)) return env;
  const sandbox = findSandbox(env, CHECKOUT);
  if (sandbox === null) return env;
  console.error(`using the sandbox at ${sandbox.baseUrl}`);
  return { ...env, ...sandbox.env };
}

/** The sandbox for a command; null when the environment names a database or no sandbox runs. */
export function findSandbox(env: Environment, checkout: string): Sandbox | null {
  if (DATABASE_NAMES.some((name) => Boolean(env[name]))) return null;
  return choose(findReady(checkout), { env, first: read(`${checkout}.sandbox.json`) });
}

function choose(ready: readonly Sandbox[], options: { env: Environment; first: Sandbox | null }): Sandbox | null {
  const wanted = options.env.ATELIER_SANDBOX;
  const ports = ready.map(({ port }) => port).join(', ');
  if (wanted !== undefined && wanted !== '') {
    const found = ready.find(({ port }) => String(port) === wanted);
    if (found !== undefined) return found;
    throw new ConfigError(`no sandbox runs on port ${wanted}${ports === '' ? '' : `; those that run: ${ports}`}`);
  }
  const first = ready.find(({ pid }) => pid === options.first?.pid);
  if (first !== undefined || ready.length < 2) return first ?? ready[0] ?? null;
  throw new ConfigError(`several sandboxes run: set ATELIER_SANDBOX to one of their ports (${ports})`);
}

function findReady(checkout: string): Sandbox[] {
  let names: string[];
  try {
    names = readdirSync(`${checkout}.sandbox`);
  } catch {
    return [];
  }
  return names
    .filter((name) => /^\d+\.json$/.test(name))
    .flatMap((name) => read(`${checkout}.sandbox/${name}`) ?? [])
    .filter(({ pid, env }) => env !== undefined && isProcessAlive(pid));
}

function read(file: string): Sandbox | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Sandbox;
  } catch {
    return null;
  }
}
