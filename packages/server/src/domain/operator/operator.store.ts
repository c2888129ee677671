import { type Db, statement, type Tx } from '../../platform/db.ts';

export interface SettingRow {
  readonly name: string;
  readonly value: unknown;
}

const ALL_SETTINGS = statement('all_settings', 'SELECT name, value FROM setting');

export function findSettings(db: Db): Promise<SettingRow[]> {
  return db.query<SettingRow>(ALL_SETTINGS);
}

const PUT_SETTING = statement(
  'put_setting',
  `INSERT INTO setting (name, value) VALUES ($1, $2)
   ON CONFLICT (name) DO UPDATE SET value = excluded.value, updated_at = now()`,
);
const DELETE_SETTING = statement('delete_setting', 'DELETE FROM setting WHERE name = $1');
const AUDIT_SETTING = statement(
  'audit_setting',
  `INSERT INTO audit_log (actor, action, detail) VALUES ($1, 'setting.changed', $2)`,
);

export async function putSetting(tx: Tx, setting: { name: string; value: unknown; actor: string }): Promise<void> {
  if (setting.value === null) await tx.query(DELETE_SETTING, [setting.name]);
  else await tx.query(PUT_SETTING, [setting.name, JSON.stringify(setting.value)]);
  await tx.query(AUDIT_SETTING, [setting.actor, JSON.stringify({ name: setting.name, value: setting.value })]);
}

// The ledger's table stands for all: one migration makes them, so they have one owner.
const DATABASE_ROLE = statement(
  'database_role',
  `SELECT r.rolsuper AS superuser,
     EXISTS (SELECT 1 FROM pg_class c WHERE c.oid = 'transfer'::regclass AND pg_has_role(r.oid, c.relowner, 'USAGE')) AS owner
   FROM pg_roles r WHERE r.rolname = current_user`,
);

export async function findDatabaseRole(db: Db): Promise<{ superuser: boolean; owner: boolean }> {
  const [row] = await db.query<{ superuser: boolean; owner: boolean }>(DATABASE_ROLE);
  return row ?? { superuser: false, owner: false };
}
