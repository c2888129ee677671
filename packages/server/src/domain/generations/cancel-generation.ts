import type { Generation } from '@atelier/contract';
import { withStatementTx } from '../../platform/db.ts';
import { faultPoint } from '../../platform/fault-point.ts';
import { Problem } from '../../platform/problem.ts';
import type { Services } from '../services.ts';
import { cancelRow } from './generations.store.ts';
import { getGeneration } from './read/get-generation.ts';

/** One conditional update decides between cancel and start. */
export async function cancelGeneration(
  services: Pick<Services, 'db' | 'keys' | 'clock' | 'cdnUrl' | 'catalog' | 'offers' | 'wake'>,
  key: { accountId: string; id: string },
): Promise<Generation> {
  await faultPoint('cancel.before-commit');
  const { outcome, wake } = await withStatementTx(services.db, (tx) => cancelRow(tx, key));
  await faultPoint('cancel.after-commit');
  if (outcome === 'not_found') throw new Problem('not_found', 'There is no such generation.');
  if (outcome === 'not_cancelable') {
    throw new Problem('not_cancelable', 'The generation is no longer queued, so it cannot be canceled.');
  }
  services.wake(wake ?? []);
  return getGeneration(services, key);
}
