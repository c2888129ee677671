import { type Db, SESSION_SETTINGS } from '../../platform/db.ts';
import { findSessionSettings } from './operator.store.ts';

export interface WrongSetting {
  readonly name: string;
  readonly expected: string;
}

/** The settings that a connection asked for and did not get: a pooler in between starts its connections itself. */
export async function findWrongSettings(services: { db: Db }): Promise<WrongSetting[]> {
  const found = new Map(
    (await findSessionSettings(services.db, Object.keys(SESSION_SETTINGS))).map(({ name, setting }) => [name, setting]),
  );
  return Object.entries(SESSION_SETTINGS)
    .filter(([name, expected]) => found.get(name) !== expected)
    .map(([name, expected]) => ({ name, expected }));
}
