import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findCommandEnv, findSandbox } from './find-sandbox.ts';

const NOBODY = 2 ** 22 - 1;
let checkout: string;

beforeEach(() => {
  checkout = `${mkdtempSync(join(tmpdir(), 'atelier-find-sandbox-'))}/`;
  mkdirSync(`${checkout}.sandbox`);
});
afterEach(() => rmSync(checkout, { recursive: true }));

function put(port: number, options: { pid?: number; isReady?: boolean; isFirst?: boolean } = {}) {
  const { pid = process.pid, isReady = true, isFirst = false } = options;
  const baseUrl = `http://127.0.0.1:${port}`;
  const record = { pid, port, baseUrl, ...(isReady ? { env: { DATABASE_URL: `postgres://${port}` } } : {}) };
  writeFileSync(`${checkout}.sandbox/${port}.json`, JSON.stringify(record));
  if (isFirst) writeFileSync(`${checkout}.sandbox.json`, JSON.stringify(record));
}

const found = (env: Record<string, string> = {}) => findSandbox(env, checkout)?.port ?? null;

test('a sandbox that is ready is found; one that is gone or still starting is not', () => {
  expect(found()).toBe(null);
  put(8001, { pid: NOBODY });
  put(8002, { isReady: false });
  expect(found()).toBe(null);
  put(8003);
  expect(found()).toBe(8003);
});

test('an environment that names a database is never replaced', () => {
  put(8001, { isFirst: true });
  expect(found({ DATABASE_URL: 'postgres://production' })).toBe(null);
  expect(found({ DATABASE_OWNER_URL: 'postgres://production' })).toBe(null);
  expect(found({ DATABASE_URL_FILE: '/run/secrets/database' })).toBe(null);
});

test('of several sandboxes the first is used, or the one that ATELIER_SANDBOX names', () => {
  put(8001, { pid: process.ppid });
  put(8002, { isFirst: true });
  expect(found()).toBe(8002);
  expect(found({ ATELIER_SANDBOX: '8001' })).toBe(8001);
  expect(() => found({ ATELIER_SANDBOX: '9' })).toThrow('no sandbox runs on port 9; those that run: 8001, 8002');
  rmSync(`${checkout}.sandbox.json`);
  expect(() => found()).toThrow('several sandboxes run: set ATELIER_SANDBOX to one of their ports (8001, 8002)');
});

test('the roles and migrate never run on a sandbox that they found', () => {
  const env = { ATELIER_SANDBOX: '9' };
  for (const command of ['api', 'worker', 'cdn', 'console', 'desk', 'all', 'migrate', 'weights']) {
    expect(findCommandEnv(command, env)).toBe(env);
  }
});
