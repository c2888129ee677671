import pg from 'pg';
import { type PoolAnswers, READ_TIMEOUT, watchPoolAnswers } from './pool-answers.ts';

/** A named statement: Postgres plans it once per connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

export function statement(name: string, text: string): Statement {
  return { name, text };
}

interface Queryable {
  query<R extends object>(statement: Statement, values?: readonly unknown[]): Promise<R[]>;
}

/** The pool. Reads go through it; whatever moves money or enqueues needs a `Tx`. */
export interface Db extends Queryable {
  readonly pool: pg.Pool;
  readonly answers: PoolAnswers;
  /** True if statements are sent without their names. */
  readonly unnamed?: boolean;
}

declare const transaction: unique symbol;

/** A transaction in progress. Only `withTx` and `withStatementTx` make one. */
export interface Tx extends Queryable {
  readonly [transaction]: true;
}

export interface DbOptions {
  readonly url: string;
  readonly applicationName: string;
  readonly maxConnections: number;
  readonly statementTimeoutMs?: number;
  /** How long a statement waits for a lock before it fails. */
  readonly lockTimeoutMs?: number;
  readonly connectTimeoutMs?: number;
  /** Commits do not wait for the disk. Only for writes that are repeated if a crash of the database loses them. */
  readonly asyncCommit?: boolean;
  /** Plans a prepared statement at each execution. Only for tables whose size changes while a connection keeps its plans. */
  readonly planEachTime?: boolean;
  /** Statements are prepared once per connection; false where a pooler changes the connection between transactions. */
  readonly prepare?: boolean;
  readonly onIdleError?: (error: Error) => void;
}

const CONNECT_TIMEOUT_MS = 3_000;
const STATEMENT_TIMEOUT_MS = 5_000;
const LOCK_TIMEOUT_MS = 2_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;
/** The server ends a statement at its own timeout. After this much longer, the connection is considered dead. */
const ANSWER_GRACE_MS = 1_500;
const CHECK_TIMEOUT_MS = 2_000;
/** Sockets without traffic are probed after this long, then every second, and closed after ten failed probes. */
const KEEPALIVE_DELAY_MS = 5_000;
/** The same on the server's side, so that the locks and the connection of a vanished client are released. */
const SERVER_KEEPALIVE =
  '-c tcp_keepalives_idle=5 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=5 -c tcp_user_timeout=15000';
/**
 * Every page of a list is a short scan of an index in order. For an account of average size, reading all its rows by a bitmap and
 * sorting them looks as cheap to the planner; in a large account it is not. A statement is planned once per connection: with the
 * default, one with a `LIMIT` parameter is planned at each execution as soon as its table is large.
 */
const PLANNER = { enable_bitmapscan: 'off', plan_cache_mode: 'force_generic_plan' } as const;
const COMMON_SETTINGS = {
  statement_timeout: String(STATEMENT_TIMEOUT_MS),
  lock_timeout: String(LOCK_TIMEOUT_MS),
  idle_in_transaction_session_timeout: String(IDLE_IN_TRANSACTION_TIMEOUT_MS),
  // Months and days of the ledger are those of UTC.
  TimeZone: 'UTC',
  // Compilation takes longer than any statement of ours runs.
  jit: 'off',
} as const;
/**
 * What the statements of the service rely on, as PostgreSQL shows it. A connection asks for it when it starts; a pooler passes
 * nothing on, so there the role has these settings.
 */
export const SESSION_SETTINGS: Readonly<Record<string, string>> = { ...COMMON_SETTINGS, ...PLANNER };
const MAX_TX_RETRIES = 5;

const INT8_OID = 20;

/** For every connection of the service, pooled or not: detects and closes connections that the network dropped silently. */
export const HALF_OPEN_GUARD = {
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  keepAlive: true,
  keepAliveInitialDelayMillis: KEEPALIVE_DELAY_MS,
} as const;

/** Coins and counts are far below 2^53; a value that is not would be a broken invariant. */
function parseInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error(`int8 outside the safe integer range: ${text}`);
  return value;
}

export function createDb(options: DbOptions): Db {
  const statementTimeoutMs = options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS;
  const settings = {
    ...COMMON_SETTINGS,
    ...(options.planEachTime ? { plan_cache_mode: 'force_custom_plan' } : PLANNER),
    statement_timeout: String(statementTimeoutMs),
    lock_timeout: String(options.lockTimeoutMs ?? LOCK_TIMEOUT_MS),
  };
  const unnamed = options.prepare === false;
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.maxConnections,
    application_name: options.applicationName,
    ...HALF_OPEN_GUARD,
    connectionTimeoutMillis: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    query_timeout: statementTimeoutMs + ANSWER_GRACE_MS,
    idleTimeoutMillis: 30_000,
    options: [
      ...Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`),
      `${SERVER_KEEPALIVE}${options.asyncCommit ? ' -c synchronous_commit=off' : ''}`,
    ].join(' '),
    types: {
      getTypeParser: ((oid: number, format: 'text') =>
        oid === INT8_OID ? parseInt8 : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
    },
  });
  pool.on('error', (error) => options.onIdleError?.(error));
  const answers = watchPoolAnswers(pool);
  return { pool, answers, unnamed, query: (statement, values) => run(pool, statement, values, unnamed) };
}

/** Throws unless the database answers through the pool within two seconds. */
export async function checkDatabase(db: Db): Promise<void> {
  await db.pool.query(checkQuery);
}

const checkQuery = { text: 'SELECT 1', query_timeout: CHECK_TIMEOUT_MS };

/** Throws unless the database answers on a new connection outside of any pool. */
export async function checkFreshConnection(url: string): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'atelier-check',
    ...HALF_OPEN_GUARD,
    query_timeout: CHECK_TIMEOUT_MS,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('SELECT 1');
  } finally {
    void client.end().catch(() => {});
  }
}

async function run<R extends object>(
  client: pg.Pool | pg.PoolClient,
  { name, text }: Statement,
  values: readonly unknown[] = [],
  unnamed = false,
): Promise<R[]> {
  const query = { text, values: values as unknown[] };
  const result = await client.query<R>(unnamed ? query : { name, ...query });
  return result.rows;
}

/**
 * One transaction, READ COMMITTED. Serialization failures and deadlocks are retried with jitter;
 * every other error is thrown.
 */
export async function withTx<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await runTx(db, work);
    } catch (error) {
      if (!isRetryable(error) || attempt >= MAX_TX_RETRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * 2 ** attempt));
    }
  }
}

async function runTx<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  const client = await db.pool.connect();
  let broken: Error | undefined;
  const drop = (error: Error) => {
    broken = error;
  };
  client.on('error', drop);
  try {
    await client.query('BEGIN');
    const result = await work({ query: (statement, values) => run(client, statement, values, db.unnamed) } as Tx);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    // A connection that timed out would not answer the ROLLBACK either.
    if (isReadTimeout(error)) drop(error as Error);
    else await client.query('ROLLBACK').catch(drop);
    throw error;
  } finally {
    client.off('error', drop);
    client.release(broken);
  }
}

/**
 * A transaction of exactly one statement, which Postgres opens and commits itself: one round trip instead of three.
 * A second statement would run outside of it, so it is refused.
 */
export async function withStatementTx<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    let used = false;
    const tx = {
      query: (statement: Statement, values?: readonly unknown[]) => {
        if (used) throw new Error('a statement transaction allows one statement');
        used = true;
        return run(db.pool, statement, values, db.unnamed);
      },
    } as Tx;
    try {
      return await work(tx);
    } catch (error) {
      if (!isRetryable(error) || attempt >= MAX_TX_RETRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * 2 ** attempt));
    }
  }
}

function isReadTimeout(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith(READ_TIMEOUT);
}

function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** 40001 serialization_failure, 40P01 deadlock_detected: nothing was committed, so the work can be retried. */
function isRetryable(error: unknown): boolean {
  const code = sqlState(error);
  return code === '40001' || code === '40P01';
}

const UNAVAILABLE_STATES = new Set([
  '57P01',
  '57P02',
  '57P03',
  '53300',
  '55P03',
  '57014',
  '25P03',
  '40001',
  '40P01',
  '53100',
  '53200',
  // The server accepts no writes: a standby, or a primary that was demoted.
  '25006',
]);
const CONTENTION_STATES = new Set(['55P03', '57014', '40001', '40P01']);
const UNAVAILABLE_ERRNO = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EHOSTUNREACH']);

/**
 * Whether the database is unavailable, restarting, out of resources or too slow: the caller answers 503 and
 * the client may retry. The outcome of an interrupted statement is unknown; idempotency resolves it.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  const code = sqlState(error);
  if (code !== undefined && (UNAVAILABLE_STATES.has(code) || UNAVAILABLE_ERRNO.has(code) || code.startsWith('08')))
    return true;
  const message = error instanceof Error ? error.message : '';
  return (
    message.startsWith('Connection terminated') ||
    message.startsWith('timeout exceeded when trying to connect') ||
    message.startsWith('timeout expired') ||
    message.startsWith('Client has encountered a connection error') ||
    message.startsWith('Client was closed') ||
    message.startsWith(READ_TIMEOUT)
  );
}

/**
 * Whether the database answers, but the statement waited too long or conflicted with others. A statement about fewer rows may
 * succeed.
 */
export function isContention(error: unknown): boolean {
  return CONTENTION_STATES.has(sqlState(error) ?? '');
}

/** Whether the database refused it because the account moves, or moved, to another cell. */
export function isAccountMoved(error: unknown): boolean {
  return (error as { constraint?: unknown } | null)?.constraint === 'account_moved';
}

/** Whether the database refused it because the account was erased. */
export function isAccountErased(error: unknown): boolean {
  return (error as { constraint?: unknown } | null)?.constraint === 'account_erased';
}

const BROKEN_STATES = new Set(['57P02', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT']);

/**
 * Whether the connection broke while a statement may have been running, so it may have committed. A statement that the
 * database refused, timed out or terminated has not.
 */
export function isOutcomeUnknown(error: unknown): boolean {
  const code = sqlState(error);
  if (code !== undefined && (BROKEN_STATES.has(code) || code.startsWith('08'))) return true;
  const message = error instanceof Error ? error.message : '';
  return message.startsWith('Connection terminated unexpectedly') || message.startsWith(READ_TIMEOUT);
}
