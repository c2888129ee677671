import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FastifyInstance, fastify } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLog } from '../../platform/log.ts';
import { createProblemHandler } from '../server/problem-handler.ts';
import { serveGuide } from './serve-guide.ts';

const HASH = `sha256-${'A'.repeat(43)}=`;
let root: string;
let guideDir: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'atelier-guide-'));
  guideDir = join(root, 'dist');
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function open(): Promise<FastifyInstance> {
  const app = fastify();
  app.setErrorHandler(createProblemHandler({ problemBaseUrl: '/problems', log: createLog({ level: 'error' }) }));
  app.decorateRequest('problemCode', null);
  await serveGuide(app, { guideDir });
  return app;
}

async function build(): Promise<void> {
  await mkdir(join(guideDir, 'pricing'), { recursive: true });
  await mkdir(join(guideDir, '_astro'));
  await writeFile(join(guideDir, 'index.html'), '<title>Atelier</title>');
  await writeFile(join(guideDir, '404.html'), '<title>No page</title>');
  await writeFile(join(guideDir, 'pricing/index.html'), '<title>Prices</title>');
  await writeFile(join(guideDir, '_astro/page.a1b2.js'), 'export {};');
  await writeFile(join(guideDir, 'llms-full.txt'), '# Atelier');
  await writeFile(join(guideDir, 'policy.json'), JSON.stringify({ scripts: [HASH, "x' 'unsafe-inline"] }));
  await writeFile(join(root, 'secret.txt'), 'private words');
}

test('without a build, the answer says what to do', async () => {
  const app = await open();
  const answer = await app.inject('/guide/');
  expect([answer.statusCode, answer.json().code]).toEqual([404, 'not_found']);
  expect(answer.json().detail).toContain('npm run docs:build');
});

test('pages, files and redirects', async () => {
  await build();
  const app = await open();
  expect((await app.inject('/guide')).headers.location).toBe('/guide/');
  expect((await app.inject('/guide/pricing')).headers.location).toBe('/guide/pricing/');
  const page = await app.inject('/guide/pricing/');
  expect([page.statusCode, page.payload, page.headers['cache-control']]).toEqual([
    200,
    '<title>Prices</title>',
    'no-cache',
  ]);
  expect(page.headers['content-type']).toMatch(/^text\/html/);
  const missing = await app.inject('/guide/old/page/');
  expect([missing.statusCode, missing.payload]).toEqual([404, '<title>No page</title>']);
  const script = await app.inject('/guide/_astro/page.a1b2.js');
  expect(script.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  expect((await app.inject('/llms-full.txt')).payload).toBe('# Atelier');
});

test('the policy allows the scripts that the build lists, and nothing that is no hash', async () => {
  await build();
  const policy = String((await (await open()).inject('/guide/')).headers['content-security-policy']);
  expect(policy).toContain(`script-src 'self' 'wasm-unsafe-eval' '${HASH}';`);
  expect(policy).toContain("default-src 'none'");
  expect(policy.split('style-src-attr')[0]).not.toContain('unsafe-inline');
});

test.each([
  '/guide/missing',
  '/guide/pricing/missing.css',
  '/guide/../secret.txt',
  '/guide/%2e%2e/secret.txt',
  '/guide/%2e%2e%2fsecret.txt',
  '/guide/..%5csecret.txt',
  '/guide/%00',
  '/guide/.env',
])('%s is not found', async (path) => {
  await build();
  const answer = await (await open()).inject(path);
  expect(answer.statusCode).toBe(404);
  expect(answer.payload).not.toContain('private words');
});
