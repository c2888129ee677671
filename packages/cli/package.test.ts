import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildPackage } from '../../scripts/packages/build-package.ts';
import { findNodes } from '../../scripts/packages/find-nodes.ts';

const run = promisify(execFile);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'atelier-cli-'));
  await buildPackage('cli', folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('the package is one program without dependencies', async () => {
  const { stdout } = await run('npm', ['pack', '--dry-run', '--json'], { cwd: folder });
  const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }];
  expect(files.map(({ path }) => path).sort()).toEqual(['LICENSE', 'README.md', 'dist/main.js', 'package.json']);
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  expect(manifest).toMatchObject({ name: '@atelier/cli', bin: { atelier: './dist/main.js' } });
  expect(manifest).not.toHaveProperty('dependencies');
  expect(manifest).not.toHaveProperty('devDependencies');
});

test('publint has no complaint', async () => {
  const { messages, pkg } = await publint({ pkgDir: folder, level: 'suggestion', strict: true });
  expect(messages.map((message) => formatMessage(message, pkg as never))).toEqual([]);
});

test.each(findNodes())('it runs with %s', async (node) => {
  const program = join(folder, 'dist/main.js');
  expect((await run(node, [program, '--version'])).stdout).toBe('1.0.0\n');
  expect((await run(node, [program, 'help', 'generate'])).stdout).toContain('--max-coins COINS');
});
