import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ASTRO = join(dirname(fileURLToPath(import.meta.resolve('astro/package.json'))), 'bin/astro.mjs');
const SITE = resolve(import.meta.dirname, '../../docs/site');
const TIMEOUT_MS = 300_000;

export interface BuiltSite extends AsyncDisposable {
  readonly dir: string;
}

/**
 * Builds the documentation as for release, into `dir`. In a process of its own with little of the environment: a test runner sets
 * NODE_ENV, BASE_URL and DEV, which the build would read.
 */
export async function buildSite(dir: string): Promise<void> {
  const args = [ASTRO, 'build', '--root', SITE];
  const { PATH, HOME, TMPDIR } = process.env;
  const env = { PATH, HOME, TMPDIR, NODE_ENV: 'production', ASTRO_TELEMETRY_DISABLED: '1', DOCS_OUT_DIR: dir };
  try {
    await promisify(execFile)(process.execPath, args, { env, timeout: TIMEOUT_MS });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`The documentation cannot be built:\n${stdout.slice(-4000)}${stderr}`);
  }
}

export async function buildTemporarySite(): Promise<BuiltSite> {
  const dir = await mkdtemp(join(tmpdir(), 'atelier-guide-'));
  await buildSite(dir);
  return { dir, [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }) };
}
