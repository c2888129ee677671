import type { Db } from '../../platform/db.ts';
import { findDatabaseRole } from './operator.store.ts';

/** Whose rights the role of this connection has, if they are more than those of the desk. */
export async function describeDatabaseRole(services: { db: Db }): Promise<'superuser' | 'owner' | 'service' | null> {
  const role = await findDatabaseRole(services.db);
  if (role.superuser) return 'superuser';
  if (role.owner) return 'owner';
  return role.service ? 'service' : null;
}
