import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LogLevel } from '../platform/log.ts';
import type { ObjectStoreOptions } from '../platform/object-store/create-object-store.ts';
import { type SettingName, type SettingRow, settings } from './settings.ts';
import { nameSpool } from './spool.ts';

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** A request without a body is answered at once or not at all. */
const S3_MAX_READ_SECONDS = 10;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The only reader of the environment. A secret may also come from the file that `<NAME>_FILE` names. Commands that only
 * touch the database do not ask for what the roles need.
 */
export function readConfig(env: Environment = process.env, needs: 'service' | 'database' = 'service') {
  const faults: string[] = [];
  const text = (name: SettingName): string => {
    const row: SettingRow = settings[name];
    const file = env[`${name}_FILE`];
    const value = file === undefined ? env[name] : readFileSync(file, 'utf8').trim();
    if (value !== undefined && value !== '') return value;
    if (row.required === true && (needs === 'service' || name === 'DATABASE_URL')) faults.push(`${name} is not set`);
    return row.default ?? '';
  };
  const integer = (name: SettingName): number => {
    const value = Number(text(name));
    if (!Number.isSafeInteger(value) || value < 0) faults.push(`${name} must be a whole number`);
    return value;
  };
  const boolean = (name: SettingName): boolean => text(name) === 'true';
  const list = (name: SettingName): string[] =>
    text(name)
      .split(',')
      .map((each) => each.trim())
      .filter(Boolean);
  const url = (name: SettingName): string => {
    const value = text(name);
    if (!URL.canParse(value)) faults.push(`${name} must be a URL`);
    return value.replace(/\/$/, '');
  };

  const config = {
    databaseUrl: text('DATABASE_URL'),
    databaseOwnerUrl: text('DATABASE_OWNER_URL') || text('DATABASE_URL'),
    databaseMaxConnections: integer('DATABASE_MAX_CONNECTIONS'),
    redisUrl: text('REDIS_URL'),
    masterKeys: text('MASTER_KEY')
      .split(',')
      .filter(Boolean)
      .map((key) => Buffer.from(key, 'base64')),
    cell: text('CELL'),
    publicUrl: url('PUBLIC_URL'),
    cdnUrl: url('CDN_URL'),
    host: text('HOST'),
    port: integer('PORT'),
    cdnPort: integer('CDN_PORT'),
    metricsPort: integer('METRICS_PORT'),
    trustedProxies: list('TRUSTED_PROXIES'),
    objectStore: readObjectStore(text),
    catalogDir: text('CATALOG_DIR'),
    spoolDir: join(text('SPOOL_DIR') || tmpdir(), nameSpool()),
    mediaSandbox: text('MEDIA_SANDBOX') === 'none' ? ('none' as const) : ('bwrap' as const),
    ffmpegPath: text('FFMPEG_PATH'),
    ffprobePath: text('FFPROBE_PATH'),
    limits: {
      uploadRetentionDays: integer('UPLOAD_RETENTION_DAYS'),
      outputRetentionDays: integer('OUTPUT_RETENTION_DAYS'),
      eventRetentionDays: integer('EVENT_RETENTION_DAYS'),
    },
    workerConcurrency: integer('WORKER_CONCURRENCY'),
    webhookConcurrency: integer('WEBHOOK_CONCURRENCY'),
    webhookHeaderPrefix: text('WEBHOOK_HEADER_PREFIX'),
    webhookAllowHttp: boolean('WEBHOOK_ALLOW_HTTP'),
    webhookAllowCidrs: list('WEBHOOK_ALLOW_CIDRS'),
    shutdownMs: integer('SHUTDOWN_SECONDS') * 1000,
    logLevel: text('LOG_LEVEL') as LogLevel,
    checkResponses: boolean('CHECK_RESPONSES'),
    faults: boolean('ALLOW_FAULTS') ? text('FAULT') : '',
  };
  if (config.masterKeys.some((key) => key.length !== 32)) faults.push('MASTER_KEY must be 32 bytes in base64');
  if (!/^[a-z0-9]{1,8}$/.test(config.cell)) faults.push('CELL must be 1 to 8 lower-case letters or digits');
  if (faults.length > 0) throw new ConfigError(`The configuration is not complete:\n  ${faults.join('\n  ')}`);
  return config;
}

export type Config = ReturnType<typeof readConfig>;

function readObjectStore(text: (name: SettingName) => string): ObjectStoreOptions {
  if (text('OBJECT_STORE') === 'directory') return { driver: 'directory', path: text('OBJECT_STORE_PATH') };
  const endpoint = text('S3_ENDPOINT');
  return {
    driver: 's3',
    ...(endpoint === '' ? {} : { endpoint }),
    region: text('S3_REGION'),
    bucket: text('S3_BUCKET'),
    accessKey: text('S3_ACCESS_KEY'),
    secretKey: text('S3_SECRET_KEY'),
    requestTimeoutMs: Number(text('S3_TIMEOUT_SECONDS')) * 1000,
    readTimeoutMs: Math.min(Number(text('S3_TIMEOUT_SECONDS')), S3_MAX_READ_SECONDS) * 1000,
  } as ObjectStoreOptions;
}
