import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { Redis } from 'ioredis';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type BackingServices,
  readServices,
  restartPostgres,
  startRedis,
  startS3,
  startServices,
  stopRedis,
  stopS3,
  stopServices,
} from '../services.ts';
import { DAEMONS, isDaemonRunning } from './state.ts';

const dir = join(tmpdir(), `atelier-services-test-${randomUUID()}`);
let services: BackingServices;

beforeAll(async () => {
  services = await startServices({ dir });
});
afterAll(() => stopServices({ dir }));

async function query<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: services.postgresUrl });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

async function redisGet(key: string): Promise<string | null> {
  const redis = new Redis(services.redisUrl, { lazyConnect: true, retryStrategy: () => null });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    return await redis.get(key);
  } finally {
    redis.disconnect();
  }
}

test('a second start returns the running services', async () => {
  expect((await startServices({ dir })).pids).toEqual(services.pids);
});

test('the database has checksums and fsync', async () => {
  const rows = await query<{ name: string; setting: string }>(
    "select name, setting from pg_settings where name in ('data_checksums', 'fsync', 'max_connections') order by name",
  );
  expect(rows.map((row) => row.setting)).toEqual(['on', 'on', '300']);
});

test('a committed row survives an immediate restart of the database', async () => {
  await query('create table kept (n int); insert into kept values (7)');
  await restartPostgres({ dir, mode: 'immediate' });
  expect(await query('select n from kept')).toEqual([{ n: 7 }]);
  expect(readServices({ dir })?.pids.postgres).not.toBe(services.pids.postgres);
});

test('Redis restarts empty on the same port', async () => {
  await stopRedis({ dir });
  await expect(redisGet('x')).rejects.toThrow();
  expect(readServices({ dir })).toBeNull();
  await startRedis({ dir });
  expect(await redisGet('x')).toBeNull();
  expect(readServices({ dir })).not.toBeNull();
});

test('files survive an outage of S3', async () => {
  const { endpoint, region, accessKey, secretKey, bucket } = services.s3;
  const client = new S3Client({
    endpoint,
    region,
    forcePathStyle: true,
    maxAttempts: 1,
    credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });
  const object = { Bucket: bucket, Key: 'kept' };
  await client.send(new PutObjectCommand({ ...object, Body: 'seven' }));
  await stopS3({ dir });
  await expect(client.send(new GetObjectCommand(object))).rejects.toThrow();
  await startS3({ dir });
  const answer = await client.send(new GetObjectCommand(object));
  expect(await answer.Body?.transformToString()).toBe('seven');
  client.destroy();
});

test('a stop leaves no process and no file', async () => {
  const last = readServices({ dir });
  expect(last).not.toBeNull();
  expect(await stopServices({ dir })).toBe(true);
  expect(DAEMONS.filter((name) => isDaemonRunning(last as BackingServices, name))).toEqual([]);
  expect(existsSync(dir)).toBe(false);
  expect(await stopServices({ dir })).toBe(false);
});
