import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { Agent } from 'undici';
import { parseDocument } from 'yaml';
import { createCircuitBreaker } from '../../platform/flow/circuit-breaker.ts';
import { createSemaphore } from '../../platform/flow/semaphore.ts';
import { listSchemaErrors, type SchemaError } from '../../platform/schema-errors.ts';
import { BACKEND_PROVIDERS, type Backend, type Backends, DIALECTS } from './backend.ts';

const MAX_BACKENDS = 64;
const MAX_ALIASES = 10;
const DAY_MS = 86_400_000;
const MAX_BYTES = 20_000_000_000;
const SHORT_CALLS_BESIDE = 16;
const MIN_KEY_LENGTH_TO_CONCEAL = 4;
const CALLS_BACK: ReadonlySet<string> = new Set(['cog', 'replicate', 'fal']);
const HOSTED: ReadonlySet<string> = new Set(['replicate', 'fal']);
const Closed = { additionalProperties: false } as const;
const DEFAULT_TIMEOUTS = {
  connectMs: 5_000,
  callMs: 15_000,
  makeMs: 600_000,
  downloadMs: 120_000,
  busyMs: 60_000,
  awayMs: 120_000,
} as const;
const DEFAULT_CIRCUIT = { failures: 5, pauseMs: 15_000 } as const;
const DEFAULT_MAX_OUTPUT_BYTES = 500_000_000;
const DEFAULT_MAX_ANSWER_BYTES = 100_000_000;
const DEFAULT_CONCURRENCY = 4;
const DEFAULT_RETRIES = 2;

const Milliseconds = Type.Optional(Type.Integer({ minimum: 1, maximum: DAY_MS }));
const Bytes = Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_BYTES }));

const BackendRecord = Type.Object(
  {
    name: Type.String({ pattern: '^[a-z][a-z0-9-]{0,31}$' }),
    provider: Type.Enum(BACKEND_PROVIDERS),
    url: Type.String({ minLength: 1 }),
    dialect: Type.Optional(Type.Enum(DIALECTS)),
    apiKey: Type.Optional(Type.String({ pattern: '^[A-Z][A-Z0-9_]{0,63}$' })),
    outputOrigins: Type.Optional(Type.Array(Type.String({ pattern: '^https?://(\\*\\.)?[A-Za-z0-9.\\-\\[\\]:]+$' }))),
    timeouts: Type.Optional(
      Type.Object(
        {
          connectMs: Milliseconds,
          callMs: Milliseconds,
          makeMs: Milliseconds,
          downloadMs: Milliseconds,
          busyMs: Milliseconds,
          awayMs: Type.Optional(Type.Integer({ minimum: 0, maximum: DAY_MS })),
        },
        Closed,
      ),
    ),
    maxOutputBytes: Bytes,
    maxAnswerBytes: Bytes,
    concurrency: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
    retries: Type.Optional(Type.Integer({ minimum: 0, maximum: 10 })),
    callbacks: Type.Optional(Type.Boolean()),
    circuit: Type.Optional(
      Type.Object(
        { failures: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })), pauseMs: Milliseconds },
        Closed,
      ),
    ),
  },
  Closed,
);
type BackendRecord = Static<typeof BackendRecord>;

const shape = Compile(Type.Object({ backends: Type.Array(BackendRecord, { maxItems: MAX_BACKENDS }) }, Closed));

/** The file of backends cannot be used. The message names every error and never a secret. */
export class BackendsError extends Error {
  override readonly name = 'BackendsError';
}

/** The operator's servers from their file. `secretOf` looks up a secret setting by name. */
export function readBackends(
  text: string,
  secretOf: (name: string) => string | undefined,
  { nowMs = Date.now }: { nowMs?: () => number } = {},
): Backends {
  const errors: string[] = [];
  const backends = new Map<string, Backend>();
  for (const [index, record] of parseRecords(text).entries()) {
    const at = `backends.${index} (${record.name})`;
    if (backends.has(record.name)) errors.push(`${at}: the name is used twice`);
    const urlError = findUrlError(record.url);
    if (urlError !== null) errors.push(`${at}: url ${urlError}`);
    if (record.dialect !== undefined && record.provider !== 'openai')
      errors.push(`${at}: dialect is a setting of openai backends`);
    if (record.callbacks === true && !CALLS_BACK.has(record.provider))
      errors.push(`${at}: callbacks is a setting of ${[...CALLS_BACK].join(', ')} backends`);
    const key = record.apiKey === undefined ? undefined : secretOf(record.apiKey);
    if (record.apiKey !== undefined && !key) errors.push(`${at}: the secret ${record.apiKey} is not set`);
    if (HOSTED.has(record.provider) && record.apiKey === undefined) errors.push(`${at}: lacks apiKey`);
    if (key !== undefined && /[^\x21-\x7e]/.test(key))
      errors.push(`${at}: the secret ${record.apiKey} holds characters that no header can carry`);
    if (errors.length === 0) backends.set(record.name, createBackend(record, { key, nowMs }));
  }
  if (errors.length > 0) throw new BackendsError(`The backends cannot be used:\n  ${errors.join('\n  ')}`);
  return {
    all: [...backends.values()],
    find({ name, providers }) {
      const found = backends.get(name);
      return found !== undefined && providers.includes(found.provider) ? found : undefined;
    },
    async close() {
      await Promise.all(
        [...backends.values()].flatMap(({ agent, probeAgent }) => [agent.destroy(), probeAgent.destroy()]),
      );
    },
  };
}

function parseRecords(text: string): readonly BackendRecord[] {
  const document = parseDocument(text);
  const [broken] = document.errors;
  if (broken !== undefined) throw new BackendsError(`The backends cannot be read: ${broken.message}`);
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    throw new BackendsError(`The backends cannot be read: ${(error as Error).message}`);
  }
  if (value === null) return [];
  if (!shape.Check(value)) {
    const errors = listSchemaErrors(shape, value);
    throw new BackendsError(`The backends cannot be used:\n  ${errors.map(describe).join('\n  ')}`);
  }
  return value.backends;
}

function describe({ path, message }: SchemaError): string {
  const place = path.join('.') || 'the file';
  if (place.endsWith('.apiKey')) return `${place}: must be the name of a secret setting, such as IMAGES_API_KEY`;
  return `${place}: ${message}`;
}

/** A key in the address would end up in messages. */
function findUrlError(text: string): string | null {
  if (!URL.canParse(text)) return 'is not a URL';
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must begin with http:// or https://';
  if (url.username !== '' || url.password !== '') return 'must not hold a user or a password: use apiKey';
  if (url.search !== '' || url.hash !== '') return 'must not hold a query';
  return null;
}

function createBackend(
  record: BackendRecord,
  { key, nowMs }: { key: string | undefined; nowMs: () => number },
): Backend {
  const timeouts = { ...DEFAULT_TIMEOUTS, ...record.timeouts };
  const scheme = record.provider === 'fal' ? 'Key' : 'Bearer';
  const concurrency = record.concurrency ?? DEFAULT_CONCURRENCY;
  return {
    name: record.name,
    provider: record.provider,
    dialect: record.dialect ?? 'openai',
    url: record.url.replace(/\/+$/, ''),
    outputOrigins: record.outputOrigins ?? [],
    timeouts,
    maxOutputBytes: record.maxOutputBytes ?? DEFAULT_MAX_OUTPUT_BYTES,
    maxAnswerBytes: record.maxAnswerBytes ?? DEFAULT_MAX_ANSWER_BYTES,
    retries: record.retries ?? DEFAULT_RETRIES,
    callbacks: record.callbacks ?? false,
    circuit: createCircuitBreaker({ ...DEFAULT_CIRCUIT, ...record.circuit }, nowMs),
    places: createSemaphore(concurrency),
    agent: new Agent({
      connect: { timeout: timeouts.connectMs },
      connections: concurrency + SHORT_CALLS_BESIDE,
      allowH2: false,
      // Each call has its own deadline.
      headersTimeout: 0,
      bodyTimeout: 0,
    }),
    probeAgent: new Agent({
      // Shorter than the probe, to distinguish an unreachable server from a busy one.
      connect: { timeout: Math.min(timeouts.connectMs, timeouts.callMs / 2) },
      allowH2: false,
      headersTimeout: 0,
      bodyTimeout: 0,
    }),
    authorization: () => (key === undefined ? {} : { authorization: `${scheme} ${key}` }),
    conceal: (text) =>
      key === undefined || key.length < MIN_KEY_LENGTH_TO_CONCEAL ? text : text.replaceAll(key, '***'),
  };
}
