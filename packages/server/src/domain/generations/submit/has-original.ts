import type { Services } from '../../services.ts';
import { findSubmitter } from '../generations.store.ts';

/** Whether a generation has this idempotency key. Whether it is the original of a request depends on the body. */
export async function hasOriginal(
  services: Pick<Services, 'db'>,
  key: { readonly accountId: string; readonly idempotencyKey: string },
): Promise<boolean> {
  const found = await findSubmitter(services.db, key);
  return found !== null && found.originalId !== null;
}
