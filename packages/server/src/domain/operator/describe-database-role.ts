import type { Db } from '../../platform/db.ts';
import { findDatabaseRole } from './operator.store.ts';

/** Why the role of this connection has more rights than a service should have; null if it does not. */
export async function describeDatabaseRole(services: { db: Db }): Promise<'superuser' | 'owner' | null> {
  const role = await findDatabaseRole(services.db);
  return role.superuser ? 'superuser' : role.owner ? 'owner' : null;
}
