import type { KeyRing } from '../../platform/crypto.ts';
import type { Db } from '../../platform/db.ts';
import type { Config } from '../config/config.ts';

/** The context of an operator command. It uses only the database, so no service has to run. */
export interface OperatorContext {
  readonly config: Config;
  readonly db: Db;
  /** Needs MASTER_KEY. */
  readonly keys: KeyRing;
  /** Recorded with every change. */
  readonly actor: string;
  readonly options: Readonly<Record<string, string>>;
  /** The options without a value that were given. */
  readonly flags: ReadonlySet<string>;
}

export interface OperatorCommand {
  readonly summary: string;
  /** Option name to what it means; one that ends in `!` must be given, one that ends in `?` takes no value. */
  readonly options: Readonly<Record<string, string>>;
  /** Returns the output: printed as JSON with --json, else as lines of name and value. */
  run(context: OperatorContext): Promise<object | readonly object[]>;
}

export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const MAX_TEXT_CHARS = 200;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const CONTROL_CHARACTERS = /[\p{Cc}\p{Cs}]/u;
/** More than any balance; sums of these stay below 2^53. */
export const MAX_COINS = 1_000_000_000_000;
export const MAX_LIMIT = 1_000_000;
const MAX_ROWS = 1_000;
const DEFAULT_ROWS = 50;

export function need(context: OperatorContext, name: string): string {
  const value = context.options[name];
  if (value === undefined || value === '') throw new UsageError(`--${name} is required`);
  if (value.length > MAX_TEXT_CHARS || CONTROL_CHARACTERS.test(value)) {
    throw new UsageError(`--${name} must be at most ${MAX_TEXT_CHARS} characters, on one line`);
  }
  return value;
}

export function needId(context: OperatorContext, name: string): string {
  const value = need(context, name);
  if (!UUID.test(value)) throw new UsageError(`--${name} must be an id such as 0198c0de-0000-7000-8000-000000000000`);
  return value;
}

export function needInteger(
  context: OperatorContext,
  name: string,
  { minimum, maximum }: { minimum: number; maximum: number },
): number {
  const text = need(context, name);
  const value = Number(text);
  if (!/^-?\d+$/.test(text) || value < minimum || value > maximum) {
    throw new UsageError(`--${name} must be a whole number from ${minimum} to ${maximum}`);
  }
  return value;
}

export function needOneOf<T extends string>(context: OperatorContext, name: string, values: readonly T[]): T {
  const value = need(context, name);
  if (!values.includes(value as T)) throw new UsageError(`--${name} must be one of ${values.join(', ')}`);
  return value as T;
}

export function needDate(context: OperatorContext, name: string): Date {
  const text = need(context, name);
  const value = new Date(text);
  if (!/^\d{4}-\d{2}-\d{2}/.test(text) || Number.isNaN(value.getTime())) {
    throw new UsageError(`--${name} must be a date-time such as 2026-11-15T12:00:00Z`);
  }
  return value;
}

/** The option if it was given, read by one of the above. */
export function given<T>(context: OperatorContext, name: string, read: () => T): T | undefined {
  return context.options[name] === undefined ? undefined : read();
}

/** A number, or `none`. */
export function needIntegerOrNone(
  context: OperatorContext,
  name: string,
  range: { minimum: number; maximum: number },
): number | null {
  return need(context, name) === 'none' ? null : needInteger(context, name, range);
}

export const limitOption = { limit: `how many (default ${DEFAULT_ROWS}, at most ${MAX_ROWS})` };

export function readLimit(context: OperatorContext): number {
  return (
    given(context, 'limit', () => needInteger(context, 'limit', { minimum: 1, maximum: MAX_ROWS })) ?? DEFAULT_ROWS
  );
}
