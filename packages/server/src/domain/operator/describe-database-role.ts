import type { Db } from '../../platform/db.ts';
import { findDatabaseRole } from './operator.store.ts';

/** Why the role of this connection is more than a service should have; null when it is not. */
export async function describeDatabaseRole(services: { db: Db }): Promise<'superuser' | 'owner' | null> {
  const role = await findDatabaseRole(services.db);
  return role.superuser ? 'superuser' : role.owner ? 'owner' : null;
}
