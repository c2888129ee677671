import {
  DEFAULT_ACCOUNT_RATE_LIMIT,
  DEFAULT_KEY_RATE_LIMIT,
  DEFAULT_RUN_LIMIT,
} from '../../domain/accounts/account-defaults.ts';
import { databaseSettings } from './database-settings.ts';
import { deskSettings } from './desk-settings.ts';
import { paymentSettings } from './payment-settings.ts';
import { signInSettings } from './sign-in-settings.ts';
import { traceSettings } from './trace-settings.ts';

/** Every setting the service reads from its environment. The reference page is generated from this table. */
export type SettingRow = {
  readonly description: string;
  readonly default?: string;
  /** The service does not start without it. */
  readonly required?: true;
} & (IntegerRow | OtherRow);

interface IntegerRow {
  readonly kind: 'integer';
  /** The service does not start with a value outside this range. */
  readonly range: { readonly minimum: number; readonly maximum: number };
  readonly values?: never;
}

interface OtherRow {
  readonly kind: 'text' | 'boolean' | 'list' | 'secret' | 'url';
  readonly range?: never;
  /** The allowed values of a text. */
  readonly values?: readonly string[];
}

const PORT_RANGE = { minimum: 0, maximum: 65_535 } as const;
const COINS_RANGE = { minimum: 0, maximum: 1_000_000_000 } as const;
const LIMIT_RANGE = { minimum: 1, maximum: 1_000_000 } as const;
const CONCURRENCY_RANGE = { minimum: 1, maximum: 10_000 } as const;
/** With 0 days, files and events would be deleted before their owner could read them. */
const RETENTION_RANGE = { minimum: 1, maximum: 36_500 } as const;

export const settings = {
  ...databaseSettings,
  REDIS_URL: {
    description: 'Redis or Valkey, for rate limits only. The roles `worker` and `cdn` do not need it.',
    kind: 'secret',
    required: true,
  },
  MASTER_KEY: {
    description:
      '32 random bytes in base64. Signs quotes, cursors and links, and encrypts webhook secrets and second factors. Several, comma-separated: the first signs and encrypts, all verify and decrypt.',
    kind: 'secret',
    required: true,
  },
  EDGE_SECRET: {
    description:
      'The Edge-Secret header that an nginx edge in front of the `cdn` role sends: at least 32 characters. Empty without an edge (docs/operate/edge).',
    kind: 'secret',
    default: '',
  },
  CELL: {
    description: 'Short id of this installation, part of every key: 1 to 8 lower-case letters or digits.',
    kind: 'text',
    default: 'c1',
  },
  PUBLIC_URL: { description: 'Public URL of the API.', kind: 'url', default: 'http://127.0.0.1:8080' },
  CDN_URL: {
    description: 'Base URL of signed links: a separate host without cookies.',
    kind: 'url',
    default: 'http://127.0.0.1:8081',
  },
  CONSOLE_URL: {
    description:
      'Public URL of the console: scheme, host and port only. Over https its cookie is bound to the host; plain http is for this machine. The `api` role needs it too: it sends agents there for access (docs/mcp.md).',
    kind: 'url',
    default: 'http://localhost:8083',
  },
  LINK_MODE: {
    description:
      '`proxy`: the `cdn` role sends the files of signed links. `redirect`: it redirects each valid link to a presigned URL of the bucket; needs OBJECT_STORE=s3 (docs/operate/downloads.md).',
    kind: 'text',
    default: 'proxy',
    values: ['proxy', 'redirect'],
  },
  HOST: {
    description: 'Address to listen on. `0.0.0.0` for all interfaces, as in the container image.',
    kind: 'text',
    default: '127.0.0.1',
  },
  PORT: { description: 'Port of the API.', kind: 'integer', default: '8080', range: PORT_RANGE },
  CDN_PORT: { description: 'Port of the `cdn` role.', kind: 'integer', default: '8081', range: PORT_RANGE },
  CONSOLE_PORT: { description: 'Port of the `console` role.', kind: 'integer', default: '8083', range: PORT_RANGE },
  CONSOLE_DIR: {
    description: 'The built pages of the console. Defaults to packages/console/dist.',
    kind: 'text',
    default: '',
  },
  GUIDE_DIR: {
    description: 'The built documentation, which the API serves at /guide. Defaults to docs/site/dist.',
    kind: 'text',
    default: '',
  },
  METRICS_PORT: {
    description:
      'Port of metrics and health. Default: 9464 for `api` and `all`, 9465 for `worker`, 9466 for `cdn`, 9467 for `console`, 9468 for `desk`. 0 disables it.',
    kind: 'integer',
    default: '',
    range: PORT_RANGE,
  },
  TRUSTED_PROXIES: { description: 'CIDRs of proxies whose X-Forwarded-For is trusted.', kind: 'list', default: '' },
  UNKNOWN_KEY_RATE_LIMIT: {
    description:
      'Requests with unknown API keys allowed per client IP address, minute and process; beyond that 429. Valid keys are not affected.',
    kind: 'integer',
    default: '120',
    range: { minimum: 1, maximum: 1_000_000 },
  },
  MCP_DAILY_BUDGET_COINS: {
    description:
      'Coins that one API key may spend over MCP on a UTC day (docs/mcp.md). 0: no limit besides those of the key and the account.',
    kind: 'integer',
    default: '1000',
    range: COINS_RANGE,
  },
  OPENAI_WAIT_SECONDS: {
    description:
      'Seconds that a request of the OpenAI-compatible API waits for its generation. Then it gets 503, and the retry of the client waits on.',
    kind: 'integer',
    default: '240',
    range: { minimum: 1, maximum: 540 },
  },
  OBJECT_STORE: {
    description: '`s3`, or `directory` for a single process.',
    kind: 'text',
    default: 's3',
    values: ['s3', 'directory'],
  },
  OBJECT_STORE_PATH: { description: 'Directory for files if OBJECT_STORE is `directory`.', kind: 'text', default: '' },
  S3_ENDPOINT: { description: 'Endpoint of the S3 server; empty for AWS.', kind: 'text', default: '' },
  S3_PUBLIC_ENDPOINT: {
    description: 'Endpoint of the S3 server as clients reach it, for LINK_MODE=redirect. Defaults to S3_ENDPOINT.',
    kind: 'text',
    default: '',
  },
  S3_REGION: { description: 'Region of the bucket.', kind: 'text', default: 'us-east-1' },
  S3_BUCKET: { description: 'The bucket for all files.', kind: 'text', default: 'atelier' },
  S3_ACCESS_KEY: {
    description:
      'Access key of the bucket. Without it and S3_SECRET_KEY the default credentials of the AWS SDK apply, such as the role of the instance. An empty value is refused.',
    kind: 'secret',
    default: '',
  },
  S3_TIMEOUT_SECONDS: {
    description: 'Timeout of one request to the bucket, which transfers up to 8 MB. Each request is tried three times.',
    kind: 'integer',
    default: '20',
    range: { minimum: 1, maximum: 600 },
  },
  S3_SECRET_KEY: { description: 'Secret key of the bucket.', kind: 'secret', default: '' },
  CATALOG_DIR: { description: 'Directory of the model and effect files.', kind: 'text', default: 'catalog' },
  SPOOL_DIR: {
    description: 'Directory for temporary files of each process; empty for the system temporary directory.',
    kind: 'text',
    default: '',
  },
  MEDIA_SANDBOX: {
    description:
      '`bwrap` confines every program that reads customer files with bubblewrap. Use `none` only where bubblewrap cannot run.',
    kind: 'text',
    default: 'bwrap',
    values: ['bwrap', 'none'],
  },
  FFMPEG_PATH: { description: 'The ffmpeg program.', kind: 'text', default: 'ffmpeg' },
  FFPROBE_PATH: { description: 'The ffprobe program.', kind: 'text', default: 'ffprobe' },
  WEIGHTS_DIR: {
    description: 'Directory of the weights of local engines; empty for ~/.cache/atelier/weights.',
    kind: 'text',
    default: '',
  },
  BACKENDS_FILE: {
    description: 'YAML file that lists the backends of remote routes; empty for none.',
    kind: 'text',
    default: '',
  },
  LOCAL_CONCURRENCY: {
    description: 'Concurrent generations on local engines per process; 0 for one per core.',
    kind: 'integer',
    default: '0',
    range: { minimum: 0, maximum: 1_000 },
  },
  ENGINE_IDLE_SECONDS: {
    description: 'Seconds after which an idle engine is unloaded.',
    kind: 'integer',
    default: '300',
    range: { minimum: 1, maximum: 86_400 },
  },
  LIST_EVERY_MODEL: {
    description:
      'Also lists models that no worker serves. Their `availability` says so; test keys can use all of them. For sandboxes.',
    kind: 'boolean',
    default: 'false',
  },
  SAFETY_FLOOR: {
    description: 'Fixed rules on prompts, independent of classifiers: `block`, `flag` or `off`.',
    kind: 'text',
    default: 'block',
  },
  SAFETY_PROMPT: {
    description: 'Classifier of prompts, with its threshold: `block 0.6`, `flag 0.6` or `off`.',
    kind: 'text',
    default: 'block 0.6',
  },
  SAFETY_PICTURE: {
    description: 'Classifier of uploads and outputs, with its threshold: `block 0.85`, `flag 0.85` or `off`.',
    kind: 'text',
    default: 'block 0.85',
  },
  SAFETY_MODERATION: {
    description: 'A remote moderation server for prompts, with its threshold: `block 0.5`, `flag 0.5` or `off`.',
    kind: 'text',
    default: 'off',
  },
  SAFETY_MODERATION_URL: {
    description: 'Base URL of the moderation server, before /v1/moderations.',
    kind: 'text',
    default: '',
  },
  SAFETY_MODERATION_KEY: { description: 'API key of the moderation server, if required.', kind: 'secret', default: '' },
  SAFETY_MODERATION_MODEL: {
    description: 'Model name to send to the moderation server, if required.',
    kind: 'text',
    default: '',
  },
  SAFETY_MODERATION_ON_FAILURE: {
    description:
      'If the moderation server does not respond: `open` continues, `closed` fails the generation as unavailable.',
    kind: 'text',
    default: 'open',
  },
  UPLOAD_RETENTION_DAYS: {
    description: 'Uploads are deleted after this many days.',
    kind: 'integer',
    default: '30',
    range: RETENTION_RANGE,
  },
  OUTPUT_RETENTION_DAYS: {
    description: 'Outputs are deleted after this many days.',
    kind: 'integer',
    default: '90',
    range: RETENTION_RANGE,
  },
  EVENT_RETENTION_DAYS: {
    description: 'Events and deliveries are kept this many days.',
    kind: 'integer',
    default: '30',
    range: RETENTION_RANGE,
  },
  STORAGE_QUOTA_MB: {
    description: 'Storage quota for the uploads of one account, unless the account has its own; 0 for no limit.',
    kind: 'integer',
    default: '0',
    range: { minimum: 0, maximum: 1_000_000_000 },
  },
  GENERATION_RETENTION_DAYS: {
    description:
      'Params, error messages and idempotency fingerprints of finished generations are removed after this many days.',
    kind: 'integer',
    default: '400',
    range: RETENTION_RANGE,
  },
  ACCOUNT_COINS: {
    description: 'Initial coins of a new live account.',
    kind: 'integer',
    default: '0',
    range: COINS_RANGE,
  },
  ACCOUNT_TEST_COINS: {
    description: 'Initial test coins of a new test account.',
    kind: 'integer',
    default: '1000000',
    range: COINS_RANGE,
  },
  ACCOUNT_RUN_LIMIT: {
    description: 'Concurrent generations of a new account.',
    kind: 'integer',
    default: String(DEFAULT_RUN_LIMIT),
    range: LIMIT_RANGE,
  },
  ACCOUNT_RAISED_LIMIT: {
    description: 'The limit a new account could be raised to, shown as raisedLimit; 0 for none.',
    kind: 'integer',
    default: '0',
    range: { ...LIMIT_RANGE, minimum: 0 },
  },
  ACCOUNT_RATE_LIMIT: {
    description: 'Requests of a new account per 60 seconds.',
    kind: 'integer',
    default: String(DEFAULT_ACCOUNT_RATE_LIMIT),
    range: LIMIT_RANGE,
  },
  KEY_RATE_LIMIT: {
    description: 'Requests of a new key per 60 seconds.',
    kind: 'integer',
    default: String(DEFAULT_KEY_RATE_LIMIT),
    range: LIMIT_RANGE,
  },
  ...deskSettings,
  ...signInSettings,
  ...paymentSettings,
  WORKER_CONCURRENCY: {
    description: 'Concurrent generations on remote backends per process, and as many in the simulator of test keys.',
    kind: 'integer',
    default: '16',
    range: CONCURRENCY_RANGE,
  },
  WEBHOOK_CONCURRENCY: {
    description: 'Concurrent webhook attempts per process.',
    kind: 'integer',
    default: '400',
    range: CONCURRENCY_RANGE,
  },
  WEBHOOK_HEADER_PREFIX: {
    description: 'Prefix of the webhook headers -Signature, -Event-Id and -Event-Type.',
    kind: 'text',
    default: 'Service',
  },
  WEBHOOK_ALLOW_HTTP: {
    description: 'Allows webhook endpoints with plain http and any port. For sandboxes.',
    kind: 'boolean',
    default: 'false',
  },
  WEBHOOK_ALLOW_CIDRS: { description: 'Private ranges that webhooks may reach.', kind: 'list', default: '' },
  SHUTDOWN_SECONDS: {
    description: 'Seconds that a stopping process has to finish its work.',
    kind: 'integer',
    default: '30',
    range: { minimum: 1, maximum: 3_600 },
  },
  BUILD_COMMIT: {
    description: 'Commit of the build, for `atelier_build_info`.',
    kind: 'text',
    default: '',
  },
  STUCK_EXIT_SECONDS: {
    description:
      'A process exits with code 1 after this many seconds without a response on its database connections while new connections work; 0 disables this.',
    kind: 'integer',
    default: '60',
    range: { minimum: 0, maximum: 86_400 },
  },
  LOG_LEVEL: {
    description: '`debug`, `info`, `warn`, `error` or `silent`.',
    kind: 'text',
    default: 'info',
    values: ['debug', 'info', 'warn', 'error', 'silent'],
  },
  ACCESS_LOG_SHARE: {
    description:
      'Share of successful requests to log, from 0 to 1. Failed requests are always logged, at the levels `info` (4xx) and `warn` (5xx).',
    kind: 'text',
    default: '1',
  },
  ...traceSettings,
  CHECK_RESPONSES: {
    description: 'Validates every response against the contract. For tests and sandboxes.',
    kind: 'boolean',
    default: 'false',
  },
  ALLOW_FAULTS: {
    description: 'Allows FAULT to inject faults. For tests only; never set it in production.',
    kind: 'boolean',
    default: 'false',
  },
  FAULT: { description: 'Faults to inject, `point:action[:nth]`, comma-separated.', kind: 'text', default: '' },
} as const satisfies Record<string, SettingRow>;

export type SettingName = keyof typeof settings;
