import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { build } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildPackage } from '../../scripts/packages/build-package.ts';
import { VERSION } from './src/version.ts';

const run = promisify(execFile);
const MAX_GZIP_BYTES = 15_000;

let folder: string;
let tarball: string;
let packed: { path: string; size: number }[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'atelier-sdk-'));
  await buildPackage('sdk', join(folder, 'package'));
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: join(folder, 'package'),
  });
  const [result] = JSON.parse(stdout);
  tarball = join(folder, result.filename);
  packed = result.files;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Bundles a program for browsers, and returns its minified code. */
async function bundle(code: string): Promise<string> {
  const entry = join(folder, `entry-${Math.random()}.js`);
  await writeFile(entry, code.replaceAll('@sdk', `${folder}/package/dist`));
  const result = await build({
    configFile: false,
    logLevel: 'silent',
    build: { write: false, minify: true, target: 'es2022', rolldownOptions: { input: entry } },
  });
  return (result as unknown as { output: { code: string }[] }).output[0]!.code;
}

test('it packs only the built modules, the manifest, the license and the readme', async () => {
  const paths = packed.map(({ path }) => path);
  expect(paths.filter((path) => !path.startsWith('dist/')).sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
  expect(paths.filter((path) => !/\.(js|d\.ts)$/.test(path) && path.startsWith('dist/'))).toEqual([]);
  expect(paths.filter((path) => /test|testing/.test(path))).toEqual([]);
  expect(paths).toEqual(expect.arrayContaining(['dist/index.js', 'dist/index.d.ts', 'dist/webhooks.js']));
  const manifest = JSON.parse(await readFile(join(folder, 'package/package.json'), 'utf8'));
  expect(manifest).toMatchObject({ name: '@atelier/sdk', version: VERSION, type: 'module', sideEffects: false });
  expect(manifest).not.toHaveProperty('dependencies');
  expect(manifest).not.toHaveProperty('private');
});

test('publint has no complaint', async () => {
  const { messages, pkg } = await publint({ pkgDir: join(folder, 'package'), level: 'suggestion', strict: true });
  expect(messages.map((message) => formatMessage(message, pkg as never))).toEqual([]);
});

test('its types resolve in Node and in bundlers', async () => {
  const result = await checkPackage(createPackageFromTarballData(new Uint8Array(await readFile(tarball))));
  // The package has only ES modules: CommonJS of old Node cannot load it, and resolution without exports cannot find it.
  const relevant = (result.types === false ? ['no types'] : result.problems).filter(
    (problem) =>
      typeof problem === 'string' ||
      !('resolutionKind' in problem) ||
      !['node10', 'node16-cjs'].includes(problem.resolutionKind),
  );
  expect(relevant).toEqual([]);
});

test('everything together has less than 15 KB gzipped', async () => {
  const code = await bundle(`import * as all from '@sdk/index.js'; console.log(all);`);
  const bytes = gzipSync(code).length;
  console.log(`the whole package: ${bytes} bytes gzipped`);
  expect(bytes).toBeLessThan(MAX_GZIP_BYTES);
});

test('a bundle contains only what it uses', async () => {
  const verifier = await bundle(`import { webhooks } from '@sdk/index.js'; console.log(webhooks.verify);`);
  expect(verifier).toContain('HMAC');
  for (const foreign of ['/v1/generations', 'InsufficientCoinsError', 'idempotency-key', '413']) {
    expect(verifier).not.toContain(foreign);
  }
  const client = await bundle(`import { Atelier } from '@sdk/index.js'; console.log(new Atelier({ baseUrl: '/' }));`);
  expect(client).toContain('/v1/generations');
  expect(client).not.toContain('HMAC');
  expect(await bundle(`import '@sdk/index.js'; console.log(1);`)).not.toContain('Atelier');
});
