import type { KeyRing } from '../../platform/crypto.ts';
import type { Db } from '../../platform/db.ts';
import type { Config } from '../config.ts';

/** What an operator's command works with. It talks to the database alone, so it needs no running service. */
export interface OperatorContext {
  readonly config: Config;
  readonly db: Db;
  readonly keys: KeyRing;
  /** Who does it; kept with every change. */
  readonly actor: string;
  readonly options: Readonly<Record<string, string>>;
}

export interface OperatorCommand {
  readonly summary: string;
  /** Option name to what it means; one that ends in `!` must be given. */
  readonly options: Readonly<Record<string, string>>;
  /** Answers what is printed: as JSON with --json, else as lines of name and value. */
  run(context: OperatorContext): Promise<object | readonly object[]>;
}

export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export function need(context: OperatorContext, name: string): string {
  const value = context.options[name];
  if (value === undefined || value === '') throw new UsageError(`--${name} is needed`);
  return value;
}

export function needInteger(context: OperatorContext, name: string): number {
  const value = Number(need(context, name));
  if (!Number.isSafeInteger(value)) throw new UsageError(`--${name} must be a whole number`);
  return value;
}
