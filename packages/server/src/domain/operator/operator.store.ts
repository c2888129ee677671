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
