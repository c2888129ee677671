import { isAccountErased, isAccountMoved, isDatabaseUnavailable } from '../platform/db.ts';
import { accountErased, Problem } from '../platform/problem.ts';
import { ConfigError } from './config/config.ts';

const NOT_MIGRATED = 'The database schema is not at this version. Run `main.ts migrate`';

const FAILURES: Readonly<Record<string, string>> = {
  '28P01': 'The database rejected the password',
  '28000': 'The database rejected the role',
  '3D000': 'The database does not exist',
  '42501':
    'The database role lacks rights. The role of DATABASE_URL must be a member of atelier_app, and DATABASE_OWNER_URL must name the owner (deploy/roles.sql)',
  '42P01': NOT_MIGRATED,
  '42703': NOT_MIGRATED,
  '42883': NOT_MIGRATED,
  '3F000': NOT_MIGRATED,
  '53300': 'The database has too many connections',
  '57P03': 'The database is starting or stopping',
  ECONNREFUSED: 'Connection refused',
  ECONNRESET: 'The connection was reset',
  ENOTFOUND: 'Unknown host name',
  EAI_AGAIN: 'The host name could not be resolved',
  ETIMEDOUT: 'The connection timed out',
};

/**
 * An error that an operator can act on, on one line; null for unexpected errors. Database errors name hosts and roles, never
 * passwords.
 */
export function explainFailure(error: unknown): string | null {
  if (error instanceof ConfigError || error instanceof Problem) return oneLine(error.message);
  if (lacksEngines(error)) return 'The package @atelier/engines is not installed. Install it to use local engines';
  // A host with several addresses fails with one error per address.
  const failure = (error instanceof AggregateError ? error.errors[0] : error) as Error & { code?: string };
  const known = FAILURES[failure?.code ?? ''];
  if (known !== undefined) return oneLine(`${known}: ${failure.message}`);
  if (isAccountErased(failure)) return accountErased().message;
  if (isAccountMoved(failure)) return oneLine(`Refused: ${failure.message}`);
  if (isDatabaseUnavailable(failure)) return oneLine(`The database does not respond: ${failure.message}`);
  // A migration that failed names its file, and carries the error of the database as its cause.
  const cause = error instanceof Error ? (error.cause as { code?: unknown } | undefined) : undefined;
  return typeof cause?.code === 'string' ? oneLine((error as Error).message) : null;
}

function lacksEngines(error: unknown): boolean {
  const { code, message = '' } = (error ?? {}) as { code?: string; message?: string };
  return code === 'ERR_MODULE_NOT_FOUND' && message.includes("'@atelier/engines'");
}

function oneLine(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .join('; ')
    .replaceAll(':;', ':');
}
