import type { Db } from '../../platform/db.ts';
import { findSettings, type SettingRow } from './operator.store.ts';

/** Every switch that is not in its default position. */
export function listSwitches(services: { db: Db }): Promise<SettingRow[]> {
  return findSettings(services.db);
}
