import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ConfigError, readConfig } from './config.ts';
import { type SettingRow, settings } from './settings.ts';

const complete = {
  DATABASE_URL: 'postgres://atelier@127.0.0.1/atelier',
  REDIS_URL: 'redis://127.0.0.1:6379',
  MASTER_KEY: randomBytes(32).toString('base64'),
};

const errorOf = (env: Record<string, string>, needs?: Parameters<typeof readConfig>[1]): string | null => {
  try {
    readConfig(env, needs);
    return null;
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
};

const writeSecret = async (text: string) => {
  const file = join(await mkdtemp(join(tmpdir(), 'atelier-config-')), 'secret');
  onTestFinished(() => rm(dirname(file), { recursive: true, force: true }));
  await writeFile(file, text);
  return file;
};

const ranges = Object.entries(settings as Record<string, SettingRow>).flatMap(([name, { range }]) =>
  range === undefined ? [] : [{ name, ...range }],
);

describe('settings have minimum values', () => {
  test('every integer has a range', () => {
    const integers = Object.values(settings as Record<string, SettingRow>).filter(({ kind }) => kind === 'integer');
    expect(ranges).toHaveLength(integers.length);
  });

  test.each(ranges)('$name: $minimum to $maximum', ({ name, minimum, maximum }) => {
    for (const good of [minimum, maximum]) expect(errorOf({ ...complete, [name]: String(good) })).toBeNull();
    for (const bad of [minimum - 1, maximum + 1, 1.5, 'many', '1e3', ' ']) {
      expect(errorOf({ ...complete, [name]: String(bad) })).toBe(
        `${name} must be a whole number from ${minimum} to ${maximum}, not ${bad}`,
      );
    }
  });

  test.each(['UPLOAD_RETENTION_DAYS', 'OUTPUT_RETENTION_DAYS', 'EVENT_RETENTION_DAYS'])('%s=0 is refused', (name) => {
    expect(errorOf({ ...complete, [name]: '0' })).toMatch(`${name} must be a whole number from 1`);
  });

  test('a value outside the list is refused', () => {
    expect(errorOf({ ...complete, MEDIA_SANDBOX: 'bwarp' })).toBe('MEDIA_SANDBOX must be bwrap or none, not bwarp');
    expect(errorOf({ ...complete, WEBHOOK_ALLOW_HTTP: 'yes' })).toBe(
      'WEBHOOK_ALLOW_HTTP must be true or false, not yes',
    );
  });
});

describe('keys of the bucket', () => {
  const keysOf = (env: Record<string, string>) => readConfig({ ...complete, ...env }).objectStore;

  test('with static keys, or with neither of them: then the default chain of credentials applies', () => {
    expect(keysOf({ S3_ACCESS_KEY: 'a', S3_SECRET_KEY: 'b' })).toMatchObject({ accessKey: 'a', secretKey: 'b' });
    expect(keysOf({})).not.toHaveProperty('accessKey');
    expect(keysOf({})).not.toHaveProperty('secretKey');
  });

  test('empty keys refuse to start, and so does one without the other', async () => {
    const empty = /^S3_ACCESS_KEY is empty: .*; S3_SECRET_KEY is empty: /;
    expect(errorOf({ ...complete, S3_ACCESS_KEY: '', S3_SECRET_KEY: '' })).toMatch(empty);
    const file = await writeSecret('');
    expect(errorOf({ ...complete, S3_ACCESS_KEY_FILE: file, S3_SECRET_KEY_FILE: file })).toMatch(empty);
    expect(errorOf({ ...complete, S3_ACCESS_KEY: 'a' })).toBe('S3_ACCESS_KEY needs S3_SECRET_KEY');
    expect(errorOf({ ...complete, S3_SECRET_KEY: 'b' })).toBe('S3_SECRET_KEY needs S3_ACCESS_KEY');
    expect(errorOf({ ...complete, OBJECT_STORE: 'directory', OBJECT_STORE_PATH: '/f', S3_ACCESS_KEY: '' })).toBeNull();
  });
});

describe('required settings', () => {
  test('migrate needs only the URL of the owner, or of the service', () => {
    expect(errorOf({ DATABASE_OWNER_URL: 'postgres://owner@127.0.0.1/atelier' }, ['DATABASE_OWNER_URL'])).toBeNull();
    expect(readConfig({ DATABASE_URL: complete.DATABASE_URL }, ['DATABASE_OWNER_URL']).databaseOwnerUrl).toBe(
      complete.DATABASE_URL,
    );
    expect(errorOf({}, ['DATABASE_OWNER_URL'])).toBe('DATABASE_OWNER_URL is not set');
  });

  test('the owner and the queue go past a pooler', () => {
    const direct = 'postgres://atelier@127.0.0.1:5432/atelier';
    const pooled = readConfig({ ...complete, DATABASE_DIRECT_URL: direct });
    expect(pooled).toMatchObject({ databaseDirectUrl: direct, databaseOwnerUrl: direct, databasePrepare: true });
    expect(pooled.databaseUrl).toBe(complete.DATABASE_URL);
    expect(readConfig(complete).databaseDirectUrl).toBe(complete.DATABASE_URL);
  });

  test('a role needs every required setting, and reports all missing ones together', () => {
    expect(errorOf({})).toBe('DATABASE_URL is not set; REDIS_URL is not set; MASTER_KEY is not set');
  });
});

describe('secrets in files', () => {
  test('the content of the file is used without the line end, and before the variable', async () => {
    const file = await writeSecret('redis://valkey:6379\n');
    expect(readConfig({ ...complete, REDIS_URL_FILE: file }).redisUrl).toBe('redis://valkey:6379');
  });

  test('a file that cannot be read is one error', () => {
    const path = join(tmpdir(), 'atelier-no-such-file');
    expect(errorOf({ ...complete, DATABASE_DIRECT_URL_FILE: path })).toBe(
      `DATABASE_DIRECT_URL_FILE: cannot read ${path} (ENOENT)`,
    );
  });

  test('an empty file counts as not set: the variable applies, then the default', async () => {
    const file = await writeSecret('\n');
    expect(readConfig({ ...complete, REDIS_URL_FILE: file }).redisUrl).toBe(complete.REDIS_URL);
    expect(readConfig({ ...complete, SMTP_URL_FILE: file }).signIn.smtpUrl).toBe('');
    expect(errorOf({ ...complete, REDIS_URL: '', REDIS_URL_FILE: file })).toBe('REDIS_URL is not set');
    expect(readConfig({ ...complete, DATABASE_DIRECT_URL_FILE: file }).databaseDirectUrl).toBe(complete.DATABASE_URL);
    expect(readConfig({ ...complete, DATABASE_OWNER_URL_FILE: file }).databaseOwnerUrl).toBe(complete.DATABASE_URL);
  });
});

describe('signed links', () => {
  test('the cdn role sends files by default; a bucket can serve them', () => {
    expect(readConfig(complete).linkMode).toBe('proxy');
    expect(readConfig({ ...complete, LINK_MODE: 'redirect' }).linkMode).toBe('redirect');
    expect(errorOf({ ...complete, LINK_MODE: 'direct' })).toBe('LINK_MODE must be proxy or redirect, not direct');
  });

  test('a directory cannot serve files', () => {
    const directory = { ...complete, OBJECT_STORE: 'directory', OBJECT_STORE_PATH: '/srv/files' };
    expect(errorOf(directory)).toBeNull();
    expect(errorOf({ ...directory, LINK_MODE: 'redirect' })).toBe(
      'LINK_MODE=redirect needs OBJECT_STORE=s3: a directory cannot serve files by itself',
    );
  });

  test('the public endpoint of the bucket is a URL', () => {
    const config = readConfig({ ...complete, S3_PUBLIC_ENDPOINT: 'https://files.example.com' });
    expect(config.objectStore).toMatchObject({ publicEndpoint: 'https://files.example.com' });
    expect(errorOf({ ...complete, S3_PUBLIC_ENDPOINT: 'files' })).toBe('S3_PUBLIC_ENDPOINT must be a URL');
  });
});

describe('traces', () => {
  const traced = { ...complete, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' };

  test('none without a collector', () => {
    expect(readConfig(complete).tracing).toBeNull();
  });

  test('of every request by default, to the collector and with its headers', () => {
    expect(readConfig({ ...traced, OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%3Db, x-team = media' }).tracing).toEqual({
      endpoint: 'http://collector:4318',
      headers: { 'api-key': 'a=b', 'x-team': 'media' },
      serviceName: 'atelier',
      share: 1,
    });
  });

  test('a wrong setting is refused without repeating a header', () => {
    expect(errorOf({ ...complete, OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' })).toBe(
      'OTEL_EXPORTER_OTLP_ENDPOINT must be an http:// or https:// URL',
    );
    expect(errorOf({ ...traced, TRACE_SHARE: '2' })).toBe('TRACE_SHARE must be a number from 0 to 1, not 2');
    expect(errorOf({ ...traced, OTEL_EXPORTER_OTLP_HEADERS: 'secret' })).toBe(
      'OTEL_EXPORTER_OTLP_HEADERS must be name=value pairs, comma-separated, values percent-encoded',
    );
  });
});

describe('payments', () => {
  const stripe = {
    ...complete,
    PAYMENTS: 'stripe',
    COIN_PACKAGES: '1000=1000, 4500=5000',
    STRIPE_SECRET_KEY: 'sk',
    STRIPE_WEBHOOK_SECRET: 'whsec',
  };

  test('manual by default', () => {
    expect(readConfig(complete).payments).toEqual({
      offer: { currency: 'usd', packages: [], contact: null },
      locksDisputes: true,
      stripe: null,
    });
  });

  test('packages are prices with their coins', () => {
    const { payments } = readConfig({ ...stripe, COIN_CURRENCY: 'EUR' });
    expect(payments.offer).toEqual({
      currency: 'eur',
      packages: [
        { id: '1000-1000', amount: 1_000, coins: 1_000 },
        { id: '4500-5000', amount: 4_500, coins: 5_000 },
      ],
      contact: null,
    });
    expect(payments.stripe?.apiUrl).toBe('https://api.stripe.com');
  });

  test.each([
    [{ COIN_PACKAGES: '' }, 'PAYMENTS=stripe needs COIN_PACKAGES'],
    [{ COIN_PACKAGES: '10.00=5' }, 'COIN_PACKAGES must be prices with their coins, such as 1000=1000, not 10.00=5'],
    [{ COIN_PACKAGES: '0=5' }, 'COIN_PACKAGES must be prices with their coins, such as 1000=1000, not 0=5'],
    [{ COIN_PACKAGES: '1=5,1=5' }, 'COIN_PACKAGES must not have a package twice'],
    [{ COIN_CURRENCY: 'dollar' }, 'COIN_CURRENCY must be three letters, such as usd'],
    [{ STRIPE_SECRET_KEY: '' }, 'PAYMENTS=stripe needs STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET'],
  ])('%j is refused', (change, message) => {
    expect(errorOf({ ...stripe, ...change })).toBe(message);
  });
});

test.each([
  ['https://api.example.com', 'http://localhost:8083', null],
  ['https://api.example.com', 'https://console.example.com', 'https://console.example.com'],
  ['http://127.0.0.1:8080', 'http://localhost:8083', 'http://localhost:8083'],
])('with the API at %s and the console at %s, people give access at %s', (PUBLIC_URL, CONSOLE_URL, accessUrl) => {
  expect(readConfig({ ...complete, PUBLIC_URL, CONSOLE_URL }).accessUrl).toBe(accessUrl);
});
