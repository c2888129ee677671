import { readFileSync } from 'node:fs';
import { availableParallelism, homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isLoopback } from '../../platform/is-loopback.ts';
import type { LogLevel } from '../../platform/log.ts';
import { DEFAULT_SAFETY_SETTINGS, type SafetyMode, type SafetySettings } from '../../safety/safety-settings.ts';
import { nameSpool } from '../spool.ts';
import { findUnknownSettings } from './find-unknown-settings.ts';
import { readObjectStore } from './read-object-store.ts';
import { readPayments } from './read-payments.ts';
import { readTracing } from './read-tracing.ts';
import { type SettingName, type SettingRow, settings } from './settings.ts';

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const BYTES_PER_MB = 1024 * 1024;
const MIN_EDGE_SECRET_CHARS = 32;

type Environment = Readonly<Record<string, string | undefined>>;

/** The settings that a role or command requires: all that the service requires, or those named. */
export type Needs = 'service' | readonly SettingName[];

/**
 * The only reader of the environment. A secret may also come from the file that `<NAME>_FILE` names. All errors are
 * reported together.
 */
export function readConfig(env: Environment = process.env, needs: Needs = 'service') {
  const errors: string[] = [];
  const secrets = new Map<string, string>();
  /** Empty if it is not set. An empty file counts as not set, so that compose.yaml can name a file for every secret. */
  const given = (name: SettingName): string => {
    const path = env[`${name}_FILE`];
    if (path !== undefined && !secrets.has(name)) secrets.set(name, readSecretFile(`${name}_FILE`, path, errors) ?? '');
    return secrets.get(name) || (env[name] ?? '');
  };
  const isSet = (name: SettingName) => given(name) !== '';
  /** Set to nothing, which is different from not set. */
  const isEmpty = (name: SettingName) =>
    given(name) === '' && (env[name] !== undefined || env[`${name}_FILE`] !== undefined);
  const text = (name: SettingName): string => {
    const row: SettingRow = settings[name];
    const value = given(name);
    if (value !== '') {
      if (row.values !== undefined && !row.values.includes(value)) {
        errors.push(`${name} must be ${row.values.join(' or ')}, not ${value}`);
      }
      return value;
    }
    if (needs === 'service' ? row.required === true : needs.includes(name)) errors.push(`${name} is not set`);
    return row.default ?? '';
  };
  const integer = (name: SettingName): number => {
    const row: SettingRow = settings[name];
    const { minimum, maximum } = row.range ?? { minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
    const digits = text(name);
    const value = Number(digits);
    if (!/^\d+$/.test(digits) || value < minimum || value > maximum) {
      errors.push(`${name} must be a whole number from ${minimum} to ${maximum}, not ${digits}`);
    }
    return value;
  };
  const share = (name: SettingName): number => {
    const decimal = text(name);
    const value = Number(decimal);
    if (!(value >= 0 && value <= 1)) errors.push(`${name} must be a number from 0 to 1, not ${decimal}`);
    return value;
  };
  const boolean = (name: SettingName): boolean => {
    const value = text(name);
    if (value !== 'true' && value !== 'false') errors.push(`${name} must be true or false, not ${value}`);
    return value === 'true';
  };
  const list = (name: SettingName): string[] =>
    text(name)
      .split(',')
      .map((each) => each.trim())
      .filter(Boolean);
  const url = (name: SettingName): string => {
    const value = text(name);
    if (!URL.canParse(value)) errors.push(`${name} must be a URL`);
    return value.replace(/\/$/, '');
  };

  const config = {
    databaseUrl: text('DATABASE_URL'),
    /** Past a pooler: for what needs a connection of its own for longer than a transaction. */
    databaseDirectUrl: text(isSet('DATABASE_DIRECT_URL') ? 'DATABASE_DIRECT_URL' : 'DATABASE_URL'),
    databaseOwnerUrl: text(
      (['DATABASE_OWNER_URL', 'DATABASE_DIRECT_URL', 'DATABASE_URL'] as const).find(isSet) ?? 'DATABASE_OWNER_URL',
    ),
    databaseMaxConnections: integer('DATABASE_MAX_CONNECTIONS'),
    databasePrepare: boolean('DATABASE_PREPARE'),
    clockCheckMs: integer('CLOCK_CHECK_SECONDS') * 1000,
    redisUrl: text('REDIS_URL'),
    masterKeys: text('MASTER_KEY')
      .split(',')
      .filter(Boolean)
      .map((key) => Buffer.from(key, 'base64')),
    edgeSecret: text('EDGE_SECRET'),
    cell: text('CELL'),
    publicUrl: url('PUBLIC_URL'),
    cdnUrl: url('CDN_URL'),
    consoleUrl: url('CONSOLE_URL'),
    linkMode: text('LINK_MODE') === 'redirect' ? ('redirect' as const) : ('proxy' as const),
    host: text('HOST'),
    port: integer('PORT'),
    cdnPort: integer('CDN_PORT'),
    consolePort: integer('CONSOLE_PORT'),
    deskUrl: url('DESK_URL'),
    deskHost: text('DESK_HOST'),
    deskPort: integer('DESK_PORT'),
    deskDir: text('DESK_DIR') || fileURLToPath(new URL('../../../../console/dist-desk', import.meta.url)),
    deskSecondFactor: text('DESK_SECOND_FACTOR') !== 'off',
    consoleDir: text('CONSOLE_DIR') || fileURLToPath(new URL('../../../../console/dist', import.meta.url)),
    guideDir: text('GUIDE_DIR') || fileURLToPath(new URL('../../../../../docs/site/dist', import.meta.url)),
    /** Null for the port of the role. */
    metricsPort: text('METRICS_PORT') === '' ? null : integer('METRICS_PORT'),
    trustedProxies: list('TRUSTED_PROXIES'),
    unknownKeyLimit: integer('UNKNOWN_KEY_RATE_LIMIT'),
    /** Where people give programs access to their accounts; null if the users of the API cannot reach it. */
    accessUrl: isLoopback(text('CONSOLE_URL')) && !isLoopback(text('PUBLIC_URL')) ? null : url('CONSOLE_URL'),
    mcpDailyBudgetCoins: integer('MCP_DAILY_BUDGET_COINS'),
    openaiWaitSeconds: integer('OPENAI_WAIT_SECONDS'),
    objectStore: readObjectStore({ text, integer, isEmpty }, errors),
    catalogDir: text('CATALOG_DIR'),
    spoolDir: join(text('SPOOL_DIR') || tmpdir(), nameSpool()),
    weightsDir: text('WEIGHTS_DIR') || join(homedir(), '.cache/atelier/weights'),
    backendsFile: text('BACKENDS_FILE'),
    /** Keys of backends, by the names that their file gives them. */
    backendSecretOf: (name: string): string | undefined => {
      // The backends file must not be able to send the master key to a server.
      if (name in settings) return undefined;
      const file = env[`${name}_FILE`];
      return file === undefined ? env[name] : readSecretFile(`${name}_FILE`, file, []);
    },
    listEveryModel: boolean('LIST_EVERY_MODEL'),
    localConcurrency: integer('LOCAL_CONCURRENCY') || availableParallelism(),
    engineIdleMs: integer('ENGINE_IDLE_SECONDS') * 1000,
    safety: readSafety(text, errors),
    mediaConfinement: text('MEDIA_SANDBOX') === 'none' ? ('none' as const) : ('bwrap' as const),
    ffmpegPath: text('FFMPEG_PATH'),
    ffprobePath: text('FFPROBE_PATH'),
    limits: {
      uploadRetentionDays: integer('UPLOAD_RETENTION_DAYS'),
      outputRetentionDays: integer('OUTPUT_RETENTION_DAYS'),
      eventRetentionDays: integer('EVENT_RETENTION_DAYS'),
      generationRetentionDays: integer('GENERATION_RETENTION_DAYS'),
      storageQuotaBytes: integer('STORAGE_QUOTA_MB') * BYTES_PER_MB,
    },
    accountDefaults: {
      coins: integer('ACCOUNT_COINS'),
      testCoins: integer('ACCOUNT_TEST_COINS'),
      runLimit: integer('ACCOUNT_RUN_LIMIT'),
      raisedLimit: integer('ACCOUNT_RAISED_LIMIT') || null,
      rateLimit: integer('ACCOUNT_RATE_LIMIT'),
      keyRateLimit: integer('KEY_RATE_LIMIT'),
    },
    signIn: {
      ...readSignIn(text, errors, boolean('FIRST_USER_OPERATOR')),
      passwordCostBits: integer('PASSWORD_COST_BITS'),
    },
    payments: readPayments({ text, list, url, boolean }, errors),
    workerConcurrency: integer('WORKER_CONCURRENCY'),
    webhookConcurrency: integer('WEBHOOK_CONCURRENCY'),
    webhookHeaderPrefix: text('WEBHOOK_HEADER_PREFIX'),
    webhookAllowHttp: boolean('WEBHOOK_ALLOW_HTTP'),
    webhookAllowCidrs: list('WEBHOOK_ALLOW_CIDRS'),
    shutdownMs: integer('SHUTDOWN_SECONDS') * 1000,
    buildCommit: text('BUILD_COMMIT'),
    stuckExitMs: integer('STUCK_EXIT_SECONDS') * 1000,
    logLevel: text('LOG_LEVEL') as LogLevel,
    accessLogShare: share('ACCESS_LOG_SHARE'),
    tracing: readTracing({ text, share }, errors),
    checkResponses: boolean('CHECK_RESPONSES'),
    allowFaults: boolean('ALLOW_FAULTS'),
    faults: boolean('ALLOW_FAULTS') ? text('FAULT') : '',
    unknownSettings: findUnknownSettings(env),
  };
  if (config.masterKeys.some((key) => key.length !== 32)) errors.push('MASTER_KEY must be 32 bytes in base64');
  if (config.edgeSecret !== '' && config.edgeSecret.length < MIN_EDGE_SECRET_CHARS) {
    errors.push(`EDGE_SECRET must have at least ${MIN_EDGE_SECRET_CHARS} characters`);
  }
  if (config.linkMode === 'redirect' && config.objectStore.driver !== 's3') {
    errors.push('LINK_MODE=redirect needs OBJECT_STORE=s3: a directory cannot serve files by itself');
  }
  if (URL.canParse(config.consoleUrl) && new URL(config.consoleUrl).origin !== config.consoleUrl) {
    errors.push('CONSOLE_URL must have no path: the console has its own host or port');
  }
  if (URL.canParse(config.deskUrl) && new URL(config.deskUrl).origin !== config.deskUrl) {
    errors.push('DESK_URL must have no path: the desk has its own host or port');
  }
  if (!config.deskSecondFactor && !isLoopback(config.deskUrl)) {
    errors.push('DESK_SECOND_FACTOR=off needs a DESK_URL on this machine, such as http://localhost:8084');
  }
  if (isSet('S3_PUBLIC_ENDPOINT')) url('S3_PUBLIC_ENDPOINT');
  if (!/^[a-z0-9]{1,8}$/.test(config.cell)) errors.push('CELL must be 1 to 8 lower-case letters or digits');
  if (errors.length > 0) throw new ConfigError([...new Set(errors)].join('; '));
  return config;
}

function readSecretFile(name: string, path: string, errors: string[]): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    errors.push(`${name}: cannot read ${path} (${(error as NodeJS.ErrnoException).code})`);
    return undefined;
  }
}

export type Config = ReturnType<typeof readConfig>;

const SAFETY_RULE = /^(?:off|(block|flag)(?: +(0(?:\.\d+)?|1(?:\.0+)?))?)$/;

function readSafety(text: (name: SettingName) => string, errors: string[]): SafetySettings {
  const rule = (name: SettingName, threshold: number) => {
    const found = SAFETY_RULE.exec(text(name));
    if (found === null) errors.push(`${name} must be off, flag or block, with a threshold from 0 to 1`);
    const mode = (found?.[1] ?? 'off') as SafetyMode;
    return { mode, threshold: found?.[2] === undefined ? threshold : Number(found[2]) };
  };
  const { prompt, picture, moderation } = DEFAULT_SAFETY_SETTINGS;
  const onFailure = text('SAFETY_MODERATION_ON_FAILURE');
  if (onFailure !== 'open' && onFailure !== 'closed')
    errors.push('SAFETY_MODERATION_ON_FAILURE must be open or closed');
  return {
    floor: { mode: rule('SAFETY_FLOOR', 1).mode },
    prompt: rule('SAFETY_PROMPT', prompt.threshold),
    picture: rule('SAFETY_PICTURE', picture.threshold),
    moderation: {
      ...moderation,
      ...rule('SAFETY_MODERATION', moderation.threshold),
      url: text('SAFETY_MODERATION_URL') || null,
      apiKey: text('SAFETY_MODERATION_KEY') || null,
      model: text('SAFETY_MODERATION_MODEL') || null,
      onFailure: onFailure === 'closed' ? 'closed' : 'open',
    },
  };
}

function readSignIn(text: (name: SettingName) => string, errors: string[], isOperator: boolean) {
  const [issuer, clientId, clientSecret] = [text('OIDC_ISSUER'), text('OIDC_CLIENT_ID'), text('OIDC_CLIENT_SECRET')];
  if (issuer !== '' && !URL.canParse(issuer)) errors.push('OIDC_ISSUER must be a URL');
  if (issuer !== '' && (clientId === '' || clientSecret === '')) {
    errors.push('OIDC_ISSUER needs OIDC_CLIENT_ID and OIDC_CLIENT_SECRET');
  }
  const smtpUrl = text('SMTP_URL');
  if (smtpUrl !== '' && !/^smtps?:\/\/[^/]/.test(smtpUrl)) errors.push('SMTP_URL must be an smtp:// or smtps:// URL');
  const firstUser = { email: text('FIRST_USER_EMAIL').toLowerCase(), password: text('FIRST_USER_PASSWORD') };
  if (firstUser.email !== '' && firstUser.password === '') errors.push('FIRST_USER_EMAIL needs FIRST_USER_PASSWORD');
  return {
    signUp: text('SIGN_UP') === 'open' ? ('open' as const) : ('invited' as const),
    smtpUrl,
    mailFrom: text('MAIL_FROM'),
    oidc: issuer === '' ? null : { issuer: issuer.replace(/\/$/, ''), clientId, clientSecret },
    firstUser: firstUser.email === '' ? null : { ...firstUser, isOperator },
  };
}
