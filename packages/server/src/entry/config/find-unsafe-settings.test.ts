import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { readConfig } from './config.ts';
import { findUnsafeSettings } from './find-unsafe-settings.ts';

const complete = {
  DATABASE_URL: 'postgres://atelier@127.0.0.1/atelier',
  REDIS_URL: 'redis://127.0.0.1:6379',
  MASTER_KEY: randomBytes(32).toString('base64'),
};
const find = (env: Record<string, string>) =>
  findUnsafeSettings(readConfig({ ...complete, ...env })).map(({ setting }) => setting);
const PUBLIC = { PUBLIC_URL: 'https://api.example.com', CDN_URL: 'https://files.example.com' };

test('the defaults are safe, and so are classifiers that only flag', () => {
  expect(find({})).toEqual([]);
  expect(find({ ...PUBLIC, SAFETY_PROMPT: 'flag', SAFETY_PICTURE: 'flag 0.9' })).toEqual([]);
});

test.each([
  ['MEDIA_SANDBOX', 'none'],
  ['SAFETY_FLOOR', 'off'],
  ['SAFETY_FLOOR', 'flag'],
  ['SAFETY_PROMPT', 'off'],
  ['SAFETY_PICTURE', 'off'],
  ['ALLOW_FAULTS', 'true'],
  ['DESK_SECOND_FACTOR', 'off'],
  ['WEBHOOK_ALLOW_HTTP', 'true'],
  ['CONSOLE_URL', 'http://console.example.com'],
])('unsafe settings are loud: %s=%s', (name, value) => {
  expect(find({ ...PUBLIC, [name]: value })).toEqual([name]);
});

test('what only matters to others is safe on this machine', () => {
  expect(find({ WEBHOOK_ALLOW_HTTP: 'true', CONSOLE_URL: 'http://localhost:9000' })).toEqual([]);
});
