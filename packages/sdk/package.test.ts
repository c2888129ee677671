import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PackedPackage, packPackage } from '../../scripts/packages/pack-package.ts';
import { VERSION } from './src/version.ts';

const MAX_GZIP_BYTES = 15_000;

let packed: PackedPackage;
beforeAll(async () => {
  packed = await packPackage('sdk');
});
afterAll(() => packed?.[Symbol.asyncDispose]());

/** Bundles a program for browsers, and returns its minified code. */
async function bundle(code: string): Promise<string> {
  const entry = join(packed.folder, `entry-${Math.random()}.js`);
  await writeFile(entry, code.replaceAll('@sdk', `${packed.folder}/dist`));
  const result = await build({
    configFile: false,
    logLevel: 'silent',
    build: { write: false, minify: true, target: 'es2022', rolldownOptions: { input: entry } },
  });
  return (result as unknown as { output: { code: string }[] }).output[0]!.code;
}

test('it packs only the built modules, the manifest, the license and the readme', () => {
  const { paths, manifest } = packed;
  expect(paths.filter((path) => !path.startsWith('dist/')).sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
  expect(paths.filter((path) => !/\.(js|d\.ts)$/.test(path) && path.startsWith('dist/'))).toEqual([]);
  expect(paths.filter((path) => /test|testing/.test(path))).toEqual([]);
  expect(paths).toEqual(expect.arrayContaining(['dist/index.js', 'dist/index.d.ts', 'dist/webhooks.js']));
  expect(manifest).toMatchObject({ name: '@atelier/sdk', version: VERSION, type: 'module', sideEffects: false });
  expect(manifest).not.toHaveProperty('dependencies');
  expect(manifest).not.toHaveProperty('private');
});

test('publint has no complaint', async () => {
  expect(await packed.lint()).toEqual([]);
});

test('its types resolve in Node and in bundlers', async () => {
  expect(await packed.findTypeProblems()).toEqual([]);
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
