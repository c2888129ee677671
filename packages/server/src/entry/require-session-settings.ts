import { findWrongSettings } from '../domain/operator/find-wrong-settings.ts';
import type { Db } from '../platform/db.ts';
import { ConfigError } from './config/config.ts';

/** Without its timeouts, one slow statement would hold its connection and locks without a limit. */
export async function requireSessionSettings(services: { db: Db }): Promise<void> {
  const wrong = await findWrongSettings(services);
  if (wrong.length === 0) return;
  const assignments = wrong.map(({ name, expected }) => `${name} = ${expected}`).join(', ');
  throw new ConfigError(
    `The connections of DATABASE_URL lack settings that the service asked for, as behind a pooler. Set them for its role (docs/operate/pgbouncer.md): ${assignments}`,
  );
}
