import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operations, problems } from '@atelier/contract';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { call } from '../harness/client.ts';
import { type Stack, startStack } from '../harness/start-stack.ts';
import { expectProblem } from './expect-problem.ts';

const CHROMIUM_PATH = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const RENDER_TIMEOUT_MS = 30_000;

let stack: Stack;
const url = () => stack.api().url;

beforeAll(async () => {
  stack = await startStack({ services: inject('services'), apis: 1, workers: 0 });
});

afterAll(() => stack?.stop());

describe.each(['/v1/models', '/v1/effects'])('%s', (path) => {
  test('is public, cached for a minute, and has an ETag', async () => {
    const answer = await call(url(), `GET ${path}`);
    expect(answer.status).toBe(200);
    expect(answer.headers['cache-control']).toBe('public, max-age=60');
    expect(answer.headers.etag).toMatch(/^"[\w-]{20,}"$/);
    expect(answer.headers['ratelimit-limit'], 'no key, no window').toBeUndefined();
  });

  test('is 304 without a body for a matching ETag', async () => {
    const { headers } = await call(url(), `GET ${path}`);
    const etag = headers.etag as string;
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await call(url(), `GET ${path}`, { headers: { 'if-none-match': known } });
      expect(again.status, known).toBe(304);
      expect(again.text).toBe('');
      expect(again.headers.etag).toBe(etag);
      expect(again.headers['cache-control']).toBe('public, max-age=60');
    }
    const other = await call(url(), `GET ${path}`, { headers: { 'if-none-match': '"other"' } });
    expect(other.status).toBe(200);
    expect(other.text.length).toBeGreaterThan(0);
  });

  test('answers HEAD with headers only', async () => {
    const head = await call(url(), `HEAD ${path}`);
    expect(head.status).toBe(200);
    expect(head.text).toBe('');
    expect(head.headers.etag).toBe((await call(url(), `GET ${path}`)).headers.etag);
  });
});

describe('the OpenAPI document', () => {
  test('is at /openapi.json, and the root links to it', async () => {
    const root = await call(url(), 'GET /');
    expect(root.headers.link).toContain('</openapi.json>; rel="service-desc"');
    expect(root.headers.link).toContain('</docs>; rel="service-doc"');
    const { body, headers } = await call(url(), 'GET /openapi.json');
    expect(headers['content-type']).toMatch(/^application\/json/);
    expect(body.openapi).toMatch(/^3\.1\./);
    for (const { method, path } of Object.values(operations)) {
      expect(body.paths[path]?.[method.toLowerCase()], `${method} ${path}`).toBeDefined();
    }
  });

  test('is at /llms.txt as plain text', async () => {
    const { headers, text } = await call(url(), 'GET /llms.txt');
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    for (const { path } of Object.values(operations)) expect(text).toContain(path);
  });

  test('has a page for every problem code at its type URL', async () => {
    const { body } = await call(url(), 'GET /v1/nothing');
    expect(body.type).toBe(`${url()}/problems/not_found`);
    for (const code of Object.keys(problems)) {
      const page = await call(url(), `GET /problems/${code}`);
      expect(page.status, code).toBe(200);
      expect(page.headers['content-type']).toBe('text/markdown; charset=utf-8');
      expect(page.text).toMatch(new RegExp(`^# ${code}\n`));
    }
    expect((await call(url(), 'GET /problems/rate_limited.md')).status, 'links between pages').toBe(200);
    for (const path of ['no_such_code', 'README', '..%2f..%2fpackage.json', '__proto__']) {
      expectProblem(await call(url(), `GET /problems/${path}`), { status: 404, code: 'not_found' });
    }
  });
});

describe('/docs in a browser', () => {
  let browser: Browser;
  let home: string;

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'atelier-browser-'));
    browser = await chromium.launch({ executablePath: CHROMIUM_PATH, args: CHROMIUM_FLAGS, env: { HOME: home } });
  });

  afterAll(async () => {
    await browser?.close();
    await rm(home, { recursive: true, force: true });
  });

  test('shows every operation and loads nothing from other hosts', async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    const asked: string[] = [];
    const faults: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    page.on('pageerror', (error) => faults.push(error.message));
    await page.goto(`${url()}/docs`);
    // Only visible text: text hidden by styles does not count.
    // biome-ignore lint/performance/useDomNodeTextContent: see above
    const shown = () => page.locator('body').innerText();
    await expect.poll(shown, { timeout: RENDER_TIMEOUT_MS }).toContain(operations.createGeneration.summary);
    const picturePath = process.env.DOCS_PICTURE;
    if (picturePath !== undefined) await page.screenshot({ path: picturePath });
    const text = await shown();
    for (const { tag } of Object.values(operations)) expect(text.toLowerCase()).toContain(tag);
    for (const [id, { summary }] of Object.entries(operations)) expect.soft(text, id).toContain(summary);
    const elsewhere = asked.filter((each) => !each.startsWith(url()) && !/^(data|blob):/.test(each));
    expect(elsewhere, 'requests that leave the origin').toEqual([]);
    expect(faults).toEqual([]);
    await page.close();
  });
});
