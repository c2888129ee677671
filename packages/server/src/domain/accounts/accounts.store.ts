import type { Scope } from '@atelier/contract';
import { type Db, statement, type Tx } from '../../platform/db.ts';
import type { AccountMode } from './caller.ts';

export interface KeyRow {
  readonly id: string;
  readonly accountId: string;
  readonly mode: AccountMode;
  readonly locked: boolean;
  readonly scopes: Scope[];
  readonly keyRateLimit: number;
  readonly accountRateLimit: number;
  readonly requestCap: number | null;
  readonly revoked: boolean;
  readonly expired: boolean;
  /** Whether another cell has the account now. */
  readonly moved: boolean;
}

const FIND_KEY = statement(
  'find_key',
  `SELECT k.id, k.account_id AS "accountId", a.mode, a.locked_at IS NOT NULL AS locked, k.scopes,
     k.rate_limit AS "keyRateLimit", a.rate_limit AS "accountRateLimit", k.request_cap AS "requestCap",
     k.revoked_at IS NOT NULL AS revoked, coalesce(k.expires_at <= now(), false) AS expired,
     a.moved_to IS NOT NULL AS moved
   FROM api_key k JOIN account a ON a.id = k.account_id WHERE k.hash = $1`,
);

export async function findKeyByHash(db: Db, hash: Buffer): Promise<KeyRow | null> {
  const [row] = await db.query<KeyRow>(FIND_KEY, [hash]);
  return row ?? null;
}

const KNOWN_HASHES = statement('known_hashes', 'SELECT hash FROM api_key WHERE hash = ANY ($1::bytea[])');

/** Returns the hashes that belong to a key. */
export async function findKnownHashes(db: Db, hashes: readonly Buffer[]): Promise<Buffer[]> {
  return (await db.query<{ hash: Buffer }>(KNOWN_HASHES, [hashes])).map(({ hash }) => hash);
}

const USABLE_KEYS = statement(
  'usable_keys',
  `SELECT k.id FROM unnest($1::uuid[], $2::uuid[]) AS asked (id, account_id)
   JOIN api_key k ON k.id = asked.id AND k.account_id = asked.account_id
   JOIN account a ON a.id = asked.account_id AND a.moved_to IS NULL
   WHERE k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())`,
);

/** Returns the ids of the keys that are neither revoked nor expired, of accounts that are in this cell. */
export async function findUsableKeys(
  db: Db,
  keys: readonly { keyId: string; accountId: string }[],
): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ id: string }>(USABLE_KEYS, [
    keys.map(({ keyId }) => keyId),
    keys.map(({ accountId }) => accountId),
  ]);
  return new Set(rows.map(({ id }) => id));
}

/** At most once a minute: the last use is informational and not worth a write per request. */
const TOUCH_KEY = statement(
  'touch_key',
  `UPDATE api_key SET last_used_at = now()
   WHERE id = $1 AND account_id = $2 AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`,
);

export async function touchKey(db: Db, key: { id: string; accountId: string }): Promise<void> {
  await db.query(TOUCH_KEY, [key.id, key.accountId]);
}

const INSERT_ACCOUNT = statement(
  'insert_account',
  `INSERT INTO account (id, owner_id, mode, name, run_limit, raised_limit, rate_limit) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
);

export async function insertAccount(
  tx: Tx,
  account: {
    id: string;
    ownerId: string;
    mode: AccountMode;
    name: string;
    runLimit: number;
    raisedLimit: number | null;
    rateLimit: number;
  },
): Promise<void> {
  await tx.query(INSERT_ACCOUNT, [
    account.id,
    account.ownerId,
    account.mode,
    account.name,
    account.runLimit,
    account.raisedLimit,
    account.rateLimit,
  ]);
}

const INSERT_KEY = statement(
  'insert_key',
  `INSERT INTO api_key (id, account_id, name, hash, prefix, last4, scopes, monthly_cap, rate_limit, expires_at, request_cap)
   SELECT $1, a.id, $3, $4, $5, $6, $7, $8, $9, $10, $11 FROM account a WHERE a.id = $2 RETURNING id`,
);

export async function insertKey(
  tx: Tx,
  key: {
    id: string;
    accountId: string;
    name: string;
    hash: Buffer;
    prefix: string;
    last4: string;
    scopes: readonly Scope[];
    monthlyCap: number | null;
    rateLimit: number;
    expiresAt: Date | null;
    requestCap: number | null;
  },
): Promise<void> {
  await tx.query(INSERT_KEY, [
    key.id,
    key.accountId,
    key.name,
    key.hash,
    key.prefix,
    key.last4,
    key.scopes,
    key.monthlyCap,
    key.rateLimit,
    key.expiresAt,
    key.requestCap,
  ]);
}

const COUNT_USABLE_KEYS = statement(
  'count_usable_keys',
  `SELECT count(*)::int AS count FROM api_key
   WHERE account_id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
);

export async function countUsableKeys(tx: Tx, accountId: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(COUNT_USABLE_KEYS, [accountId]);
  return row?.count ?? 0;
}

const ACCOUNT_MODE = statement('account_mode', 'SELECT mode FROM account WHERE id = $1');

export async function findAccountMode(tx: Tx, accountId: string): Promise<AccountMode | null> {
  const [row] = await tx.query<{ mode: AccountMode }>(ACCOUNT_MODE, [accountId]);
  return row?.mode ?? null;
}

/** What can be changed of a key. */
export interface KeySettings {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly rateLimit: number;
  readonly monthlyCap: number | null;
  /** Coins that one request may cost. */
  readonly requestCap: number | null;
  readonly expiresAt: Date | null;
}

const LOCK_KEY = statement(
  'lock_key',
  `SELECT name, scopes, rate_limit AS "rateLimit", monthly_cap AS "monthlyCap", request_cap AS "requestCap",
     expires_at AS "expiresAt", revoked_at IS NOT NULL AS revoked FROM api_key WHERE id = $1 AND account_id = $2 FOR NO KEY UPDATE`,
);

export async function lockKeySettings(
  tx: Tx,
  key: { id: string; accountId: string },
): Promise<(KeySettings & { readonly revoked: boolean }) | null> {
  const [row] = await tx.query<KeySettings & { revoked: boolean }>(LOCK_KEY, [key.id, key.accountId]);
  return row ?? null;
}

const PUT_KEY_SETTINGS = statement(
  'put_key_settings',
  `UPDATE api_key SET name = $3, scopes = $4, rate_limit = $5, monthly_cap = $6, expires_at = $7, request_cap = $8
   WHERE id = $1 AND account_id = $2`,
);

export async function putKeySettings(tx: Tx, key: { id: string; accountId: string } & KeySettings): Promise<void> {
  await tx.query(PUT_KEY_SETTINGS, [
    key.id,
    key.accountId,
    key.name,
    key.scopes,
    key.rateLimit,
    key.monthlyCap,
    key.expiresAt,
    key.requestCap,
  ]);
}

const REVOKE_KEY = statement(
  'revoke_key',
  'UPDATE api_key SET revoked_at = coalesce(revoked_at, now()) WHERE id = $1 AND account_id = $2 RETURNING id',
);

export async function revokeKey(tx: Tx, key: { id: string; accountId: string }): Promise<boolean> {
  return (await tx.query(REVOKE_KEY, [key.id, key.accountId])).length > 0;
}

const LOCK_ACCOUNT = statement(
  'lock_account',
  'UPDATE account SET locked_at = CASE WHEN $2 THEN coalesce(locked_at, now()) END, locked_reason = $3 WHERE id = $1 RETURNING id',
);

const FIND_LOCK = statement(
  'find_account_lock',
  'SELECT locked_at IS NOT NULL AS "isLocked", locked_reason AS reason FROM account WHERE id = $1',
);

export async function findAccountLock(
  tx: Tx,
  accountId: string,
): Promise<{ isLocked: boolean; reason: string | null }> {
  const [row] = await tx.query<{ isLocked: boolean; reason: string | null }>(FIND_LOCK, [accountId]);
  return row ?? { isLocked: false, reason: null };
}

export async function setAccountLock(
  tx: Tx,
  lock: { accountId: string; locked: boolean; reason: string | null },
): Promise<boolean> {
  return (await tx.query(LOCK_ACCOUNT, [lock.accountId, lock.locked, lock.reason])).length > 0;
}

const LOCK_PAIR = statement(
  'lock_accounts_of_pair',
  `SELECT id FROM account WHERE owner_id = (SELECT owner_id FROM account WHERE id = $1) ORDER BY id FOR NO KEY UPDATE`,
);
const RENAME = statement(
  'rename_accounts',
  'UPDATE account SET name = $2 WHERE id = ANY ($1) AND erased_at IS NULL RETURNING id',
);

/** Renames the pair of an account, live and test. False if there is no such account. */
export async function renamePair(tx: Tx, { accountId, name }: { accountId: string; name: string }): Promise<boolean> {
  const locked = await tx.query<{ id: string }>(LOCK_PAIR, [accountId]);
  return (await tx.query(RENAME, [locked.map(({ id }) => id), name])).length > 0;
}

export interface AccountRow {
  readonly available: number;
  readonly held: number;
  readonly runLimit: number;
  readonly raisedLimit: number | null;
  readonly rateLimit: number;
  readonly running: number;
  readonly queued: number;
}

/** Counts running generations, which the running limit bounds; the number of waiting ones is computed from queue numbers. */
const GET_ACCOUNT = statement(
  'get_account',
  `SELECT a.available, a.held, a.run_limit AS "runLimit", a.raised_limit AS "raisedLimit", a.rate_limit AS "rateLimit",
     r.running, a.slots - r.running + count_waiting(p_account => a.id, p_upto => a.queue_tail) AS queued
   FROM account a, LATERAL (
     SELECT count(*) AS running FROM generation g
     WHERE g.account_id = a.id AND g.status = 'processing' AND g.admitted AND g.completed_at IS NULL
   ) r WHERE a.id = $1`,
);

export async function findAccount(db: Db, accountId: string): Promise<AccountRow | null> {
  const [row] = await db.query<AccountRow>(GET_ACCOUNT, [accountId]);
  return row ?? null;
}

export interface KeyUsageRow {
  readonly id: string;
  readonly name: string;
  readonly scopes: Scope[];
  readonly monthlyCap: number | null;
  readonly requestCap: number | null;
  readonly rateLimit: number;
  readonly expiresAt: Date | null;
  readonly spent: number;
}

/** What a key captured and still holds in this UTC month. */
const SPENT = 'coalesce(m.spent + m.reserved, 0) AS spent';
const THIS_MONTH = `LEFT JOIN key_month m ON m.key_id = k.id AND m.month = date_trunc('month', now() AT TIME ZONE 'UTC')::date`;

const KEY_USAGE = statement(
  'key_usage',
  `SELECT k.id, k.name, k.scopes, k.monthly_cap AS "monthlyCap", k.request_cap AS "requestCap", k.rate_limit AS "rateLimit",
     k.expires_at AS "expiresAt", ${SPENT}
   FROM api_key k
   ${THIS_MONTH}
   WHERE k.id = $1 AND k.account_id = $2`,
);

export async function findKeyUsage(db: Db, key: { id: string; accountId: string }): Promise<KeyUsageRow | null> {
  const [row] = await db.query<KeyUsageRow>(KEY_USAGE, [key.id, key.accountId]);
  return row ?? null;
}

const AVAILABLE = statement('available_coins', 'SELECT available FROM account WHERE id = $1');

export async function findAvailableCoins(db: Db, accountId: string): Promise<number> {
  const [row] = await db.query<{ available: number }>(AVAILABLE, [accountId]);
  return row?.available ?? 0;
}

export interface AccountListRow {
  readonly id: string;
  readonly mode: AccountMode;
  readonly name: string;
  readonly available: number;
  readonly held: number;
  readonly runLimit: number;
  readonly locked: boolean;
}

const LIST_ACCOUNTS = statement(
  'list_accounts',
  `SELECT id, mode, name, available, held, run_limit AS "runLimit", locked_at IS NOT NULL AS locked FROM account ORDER BY id DESC LIMIT $1`,
);

export function findAccounts(db: Db, limit: number): Promise<AccountListRow[]> {
  return db.query<AccountListRow>(LIST_ACCOUNTS, [limit]);
}

export interface KeyListRow {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly last4: string;
  readonly mode: AccountMode;
  readonly scopes: Scope[];
  readonly monthlyCap: number | null;
  readonly requestCap: number | null;
  /** Captured and still held in this UTC month. */
  readonly spent: number;
  readonly status: 'active' | 'expired' | 'revoked';
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
}

const KEY_LIST = `SELECT k.id, k.name, k.prefix, k.last4, a.mode, k.scopes, k.monthly_cap AS "monthlyCap",
     k.request_cap AS "requestCap", ${SPENT}, s.status, k.created_at AS "createdAt", k.expires_at AS "expiresAt",
     k.revoked_at AS "revokedAt", k.last_used_at AS "lastUsedAt"
   FROM api_key k JOIN account a ON a.id = k.account_id
   ${THIS_MONTH}
   CROSS JOIN LATERAL (SELECT CASE WHEN k.revoked_at IS NOT NULL THEN 'revoked'
     WHEN k.expires_at <= now() THEN 'expired' ELSE 'active' END AS status) s
   WHERE k.account_id = $1`;
const LIST_KEYS = statement(
  'list_keys',
  `${KEY_LIST} ORDER BY s.status <> 'active', k.created_at DESC, k.id DESC LIMIT $2`,
);

export function findKeys(db: Db, query: { accountId: string; limit: number }): Promise<KeyListRow[]> {
  return db.query<KeyListRow>(LIST_KEYS, [query.accountId, query.limit]);
}

const SHOW_KEY = statement('show_key', `${KEY_LIST} AND k.id = $2`);

export async function findKey(db: Db | Tx, key: { id: string; accountId: string }): Promise<KeyListRow | null> {
  const [row] = await db.query<KeyListRow>(SHOW_KEY, [key.accountId, key.id]);
  return row ?? null;
}

const SESSION_ACCOUNT = statement(
  'session_account',
  `SELECT mode, locked_at IS NOT NULL AS locked, rate_limit AS "rateLimit", moved_to IS NOT NULL AS moved FROM account WHERE id = $1`,
);

interface SessionAccountRow {
  readonly mode: AccountMode;
  readonly locked: boolean;
  readonly rateLimit: number;
  /** Whether another cell has the account now. */
  readonly moved: boolean;
}

export async function findSessionAccount(db: Db, accountId: string): Promise<SessionAccountRow | null> {
  const [row] = await db.query<SessionAccountRow>(SESSION_ACCOUNT, [accountId]);
  return row ?? null;
}
