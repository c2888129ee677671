import { type Db, statement, type Tx } from '../../platform/db.ts';

export interface SettingRow {
  readonly name: string;
  readonly value: unknown;
  readonly updatedAt: Date;
}

const ALL_SETTINGS = statement(
  'all_settings',
  'SELECT name, value, updated_at AS "updatedAt" FROM setting ORDER BY name',
);

export function findSettings(db: Db): Promise<SettingRow[]> {
  return db.query<SettingRow>(ALL_SETTINGS);
}

const PUT_SETTING = statement(
  'put_setting',
  `INSERT INTO setting (name, value) VALUES ($1, $2)
   ON CONFLICT (name) DO UPDATE SET value = excluded.value, updated_at = now()`,
);
const DELETE_SETTING = statement('delete_setting', 'DELETE FROM setting WHERE name = $1');

export interface SettingChange {
  readonly name: string;
  /** Null removes the setting. */
  readonly value: unknown;
  readonly actor: string;
  readonly reason?: string | undefined;
}

export async function putSetting(tx: Tx, setting: SettingChange): Promise<void> {
  if (setting.value === null) await tx.query(DELETE_SETTING, [setting.name]);
  else await tx.query(PUT_SETTING, [setting.name, JSON.stringify(setting.value)]);
  await insertAudit(tx, {
    actor: setting.actor,
    action: 'setting.changed',
    accountId: null,
    detail: {
      name: setting.name,
      value: setting.value,
      ...(setting.reason === undefined ? {} : { reason: setting.reason }),
    },
  });
}

/** All actions of the audit log. */
export type AuditAction =
  | `account.${'created' | 'limits_changed' | 'locked' | 'unlocked' | 'quota_set' | 'renamed' | 'moving' | 'departed' | 'arrived' | 'move_canceled' | 'move_forgotten'}`
  | 'bucket.claimed'
  | `budget.${'created' | 'updated' | 'deleted'}`
  | 'checkout.opened'
  | 'desk.read'
  | 'checkout.rebuilt'
  | 'payment.discarded'
  | `coins.${'granted' | 'adjusted'}`
  | `key.${'created' | 'revoked' | 'updated' | 'limits_changed' | 'cap_lowered'}`
  | `invitation.${'created' | 'revoked'}`
  | 'master_key.forgotten'
  | 'operator.signed_in'
  | `member.${'added' | 'removed' | 'role_changed'}`
  | `person.${'created' | 'deleted' | 'factors_resealed' | 'operator_added' | 'operator_removed'}`
  | 'setting.changed'
  | `webhook.${'created' | 'updated' | 'paused' | 'resumed' | 'deleted' | 'tested' | 'redelivered'}`
  | `webhook.${'secret_rotated' | 'secrets_resealed'}`;

export interface AuditEntry {
  readonly actor: string;
  readonly action: AuditAction;
  readonly accountId: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

const INSERT_AUDIT = statement(
  'insert_audit',
  'INSERT INTO audit_log (actor, action, account_id, detail) VALUES ($1, $2, $3, $4)',
);

export async function insertAudit(tx: Tx, entry: AuditEntry): Promise<void> {
  await tx.query(INSERT_AUDIT, [entry.actor, entry.action, entry.accountId, JSON.stringify(entry.detail)]);
}

export interface AuditRow extends AuditEntry {
  readonly id: number;
  readonly at: Date;
}

export interface AuditFilter {
  readonly accountId: string | null;
  readonly since: Date | null;
  /** Only entries with a smaller id. */
  readonly before?: number | undefined;
  readonly limit: number;
}

const COLUMNS = `id, at, actor, action, account_id AS "accountId", detail`;
const AUDIT = statement(
  'find_audit',
  `SELECT ${COLUMNS} FROM audit_log WHERE at >= coalesce($1::timestamptz, '-infinity') AND id < $3 ORDER BY id DESC LIMIT $2`,
);
const AUDIT_OF_ACCOUNT = statement(
  'find_audit_of_account',
  `SELECT ${COLUMNS} FROM audit_log WHERE account_id = $4 AND id < $3 AND at >= coalesce($1::timestamptz, '-infinity') ORDER BY id DESC LIMIT $2`,
);

export function findAudit(
  db: Db,
  { accountId, since, before = Number.MAX_SAFE_INTEGER, limit }: AuditFilter,
): Promise<AuditRow[]> {
  return accountId === null
    ? db.query<AuditRow>(AUDIT, [since, limit, before])
    : db.query<AuditRow>(AUDIT_OF_ACCOUNT, [since, limit, before, accountId]);
}

// Checking one table is enough: migrations create all of them, so they have one owner.
const DATABASE_ROLE = statement(
  'database_role',
  `SELECT r.rolsuper AS superuser,
     EXISTS (SELECT 1 FROM pg_class c WHERE c.oid = 'transfer'::regclass AND pg_has_role(r.oid, c.relowner, 'USAGE')) AS owner,
     pg_has_role(r.oid, 'atelier_app', 'USAGE') AS service
   FROM pg_roles r WHERE r.rolname = current_user`,
);

interface DatabaseRole {
  readonly superuser: boolean;
  readonly owner: boolean;
  readonly service: boolean;
}

export async function findDatabaseRole(db: Db): Promise<DatabaseRole> {
  const [row] = await db.query<DatabaseRole>(DATABASE_ROLE);
  return row ?? { superuser: false, owner: false, service: false };
}

const SESSION_SETTINGS = statement(
  'session_settings',
  'SELECT name, setting FROM pg_settings WHERE name = ANY ($1) ORDER BY name',
);

export function findSessionSettings(
  db: Db,
  names: readonly string[],
): Promise<Array<{ readonly name: string; readonly setting: string }>> {
  return db.query(SESSION_SETTINGS, [names]);
}

/** An arbitrary constant: serializes processes that start concurrently. */
const FINGERPRINT_LOCK = 723_400_119;
const LOCK_FINGERPRINTS = statement('lock_fingerprints', 'SELECT pg_advisory_xact_lock($1)');

export async function lockFingerprints(tx: Tx): Promise<void> {
  await tx.query(LOCK_FINGERPRINTS, [FINGERPRINT_LOCK]);
}

const FIND_FINGERPRINTS = statement(
  'find_fingerprints',
  'SELECT fingerprint, first_used_at AS "firstUsedAt" FROM master_key ORDER BY first_used_at, fingerprint',
);

export function findFingerprints(tx: Tx): Promise<Array<{ fingerprint: string; firstUsedAt: Date }>> {
  return tx.query(FIND_FINGERPRINTS);
}

const INSERT_FINGERPRINTS = statement(
  'insert_fingerprints',
  'INSERT INTO master_key (fingerprint) SELECT unnest($1::text[])',
);

export async function insertFingerprints(tx: Tx, fingerprints: readonly string[]): Promise<void> {
  await tx.query(INSERT_FINGERPRINTS, [fingerprints]);
}

const DELETE_FINGERPRINTS = statement('delete_fingerprints', 'DELETE FROM master_key RETURNING fingerprint');

export async function deleteFingerprints(tx: Tx): Promise<number> {
  return (await tx.query(DELETE_FINGERPRINTS)).length;
}
