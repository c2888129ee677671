import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { makeAccount } from '../harness/account.ts';
import { call } from '../harness/client.ts';
import { type Stack, startStack } from '../harness/start-stack.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const INSTALL_TIMEOUT_MS = 180_000;
const COPIED = ['package.json', 'package-lock.json', '.npmrc', 'packages/contract', 'packages/server', 'docs/problems'];

let installation: string;
let stack: Stack;

/** What an operator does for machines that run no engines: docs/operate/engines.md. */
async function installWithoutEngines(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'atelier-slim-'));
  for (const path of COPIED) {
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await cp(join(ROOT, path), join(dir, path), { recursive: true, filter: (from) => !from.includes('node_modules') });
  }
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` };
  const npm = (...args: string[]) => promisify(execFile)('npm', args, { cwd: dir, env });
  await npm('pkg', 'delete', 'optionalDependencies', '--workspace', 'packages/server');
  await npm('install', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline');
  return dir;
}

beforeAll(async () => {
  installation = await installWithoutEngines();
  stack = await startStack({ services: inject('services'), workers: 0, cdns: 1, installation });
}, INSTALL_TIMEOUT_MS);
afterAll(async () => {
  await stack?.stop();
  if (installation !== undefined) await rm(installation, { recursive: true, force: true });
});

describe('an installation without the engines package', () => {
  test('has none of the packages that the engines and classifiers need', async () => {
    const optional = await Promise.all(
      ['engines', 'server'].map(async (name) => {
        const text = await readFile(join(ROOT, 'packages', name, 'package.json'), 'utf8');
        return Object.keys((JSON.parse(text) as { optionalDependencies: object }).optionalDependencies);
      }),
    );
    const installed = optional.flat().filter((name) => existsSync(join(installation, 'node_modules', name)));
    expect(optional.flat().length).toBeGreaterThan(10);
    expect(installed).toEqual([]);
  });

  test('serves the API', async () => {
    const { key } = await makeAccount(stack);
    const models = await call(stack.api().url, 'GET /v1/models', { key });
    expect(models.status).toBe(200);
    expect(models.body.models.length).toBeGreaterThan(10);
  });

  test('serves the file host', async () => {
    const cdn = stack.members.find(({ role }) => role === 'cdn')!;
    expect((await fetch(`${cdn.url}/healthz`)).status).toBe(200);
    const answer = await fetch(`${cdn.url}/an-unsigned-link`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      403,
      expect.stringContaining('application/problem+json'),
    ]);
  });

  test('starts a worker, which offers no local engine', async () => {
    const worker = await stack.start('worker');
    expect(worker.logs.join('')).toContain('engines unavailable: the package @atelier/engines is not installed');
  });

  test('explains what the weights command needs', async () => {
    const main = join(installation, 'packages/server/src/main.ts');
    const failed = await promisify(execFile)(process.execPath, [main, 'weights', 'list'], { cwd: installation }).catch(
      (error: { code: number; stderr: string }) => error,
    );
    expect(failed).toMatchObject({
      code: 1,
      stderr: 'atelier weights: The package @atelier/engines is not installed. Install it to use local engines\n',
    });
  });
});
