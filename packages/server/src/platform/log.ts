import type { Writable } from 'node:stream';
import pino from 'pino';

/**
 * The fields that a log line may have. All others are dropped, so that logging a whole object cannot leak a prompt, a
 * link or a key.
 */
const ALLOWED_FIELDS = [
  'accountId',
  'attempt',
  'code',
  'count',
  'durationMs',
  'endpointId',
  'errorCode',
  'errorMessage',
  'errorName',
  'eventId',
  'fault',
  'file',
  'generationId',
  'issuePaths',
  'jobId',
  'keyId',
  'lag',
  'method',
  'modelId',
  'operation',
  'path',
  'pid',
  'pool',
  'port',
  'queue',
  'reason',
  'requestId',
  'role',
  'signal',
  'stack',
  'status',
  'traceId',
  'url',
  'version',
  'workerId',
] as const;
type LogField = (typeof ALLOWED_FIELDS)[number];
export type LogFields = { readonly [K in LogField]?: string | number | boolean | null | undefined };

export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  child(fields: LogFields): Log;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

const MAX_VALUE_LENGTH = 2_000;
const allowed = new Set<string>(ALLOWED_FIELDS);

function pick(fields: LogFields = {}): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (!allowed.has(name) || value === undefined) continue;
    kept[name] = typeof value === 'string' ? value.slice(0, MAX_VALUE_LENGTH) : value;
  }
  return kept;
}

export function createLog(options: { level: LogLevel; destination?: Writable }): Log {
  const settings: pino.LoggerOptions = {
    level: options.level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  };
  return wrap(options.destination === undefined ? pino(settings) : pino(settings, options.destination));
}

function wrap(logger: pino.Logger): Log {
  return {
    debug: (message, fields) => logger.isLevelEnabled('debug') && logger.debug(pick(fields), message),
    info: (message, fields) => logger.isLevelEnabled('info') && logger.info(pick(fields), message),
    warn: (message, fields) => logger.warn(pick(fields), message),
    error: (message, fields) => logger.error(pick(fields), message),
    child: (fields) => wrap(logger.child(pick(fields))),
  };
}

/** The fields of an error that may be logged: no bodies, no statement values. */
export function errorFields(error: unknown): LogFields {
  if (!(error instanceof Error)) return { errorMessage: String(error) };
  const code = (error as { code?: unknown }).code;
  return {
    errorName: error.name,
    errorMessage: error.message,
    errorCode: typeof code === 'string' || typeof code === 'number' ? code : undefined,
    stack: error.stack,
  };
}

/** The fields of an error whose message may contain customer input: its kind and the stack frames, not the message. */
export function errorFieldsWithoutMessage(error: unknown): LogFields {
  if (!(error instanceof Error)) return {};
  const { errorName, errorCode } = errorFields(error);
  const frames = error.stack?.split('\n').filter((line) => /^ {4}at /.test(line));
  return { errorName, errorCode, stack: frames?.join('\n') };
}
