import { expect, test } from 'vitest';
import { findUnknownSettings } from './find-unknown-settings.ts';
import { settings } from './settings.ts';

const find = (...names: string[]) => findUnknownSettings(Object.fromEntries(names.map((name) => [name, 'secret'])));

test('an unknown variable with our prefix is reported with the closest setting', () => {
  expect(find('WEBHOOK_ALOW_HTTP', 'S3_BUCKT', 'SAFETY_LEVEL', 'ATELIER_PORT_NUMBER', 'TRUSTED_PROXY')).toEqual([
    { name: 'ATELIER_PORT_NUMBER', meant: null },
    { name: 'S3_BUCKT', meant: 'S3_BUCKET' },
    { name: 'SAFETY_LEVEL', meant: null },
    { name: 'WEBHOOK_ALOW_HTTP', meant: 'WEBHOOK_ALLOW_HTTP' },
  ]);
  expect(find('OUTPUT_RETENTION_DAY', 'shutdown_seconds')).toEqual([
    { name: 'OUTPUT_RETENTION_DAY', meant: 'OUTPUT_RETENTION_DAYS' },
    { name: 'shutdown_seconds', meant: 'SHUTDOWN_SECONDS' },
  ]);
});

test('values are not reported', () => {
  expect(JSON.stringify(find('DATABASE_POOL_SIZE', 'MASTER_KEYS'))).not.toContain('secret');
});

test('every setting, and its file, is known', () => {
  expect(find(...Object.keys(settings), ...Object.keys(settings).map((name) => `${name}_FILE`))).toEqual([]);
});

test('variables of the system, other programs and container platforms are ignored', () => {
  const usual = ['PATH', 'HOME', 'HOSTNAME', 'PWD', 'LOGNAME', 'LOCAL_BIN', 'PUBLIC_ASSETS', 'NODE_OPTIONS', 'TMPDIR'];
  const links = ['REDIS_SERVICE_HOST', 'REDIS_PORT', 'REDIS_PORT_6379_TCP_ADDR', 'DATABASE_SERVICE_PORT_POSTGRES'];
  const documented = ['ATELIER_SERVICES_FILE', 'DATABASE_PASSWORD', 'DATABASE_OWNER_PASSWORD', 'POSTGRES_HOST'];
  expect(find(...usual, ...links, ...documented)).toEqual([]);
});
