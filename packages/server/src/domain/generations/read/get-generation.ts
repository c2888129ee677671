import type { Generation } from '@atelier/contract';
import { Problem } from '../../../platform/problem.ts';
import type { Services } from '../../services.ts';
import { findGeneration } from '../generations.store.ts';
import { readServingFacts } from '../run/serving.ts';
import { renderGenerations } from './render-generation.ts';

export async function getGeneration(
  services: Pick<Services, 'db' | 'keys' | 'clock' | 'cdnUrl' | 'catalog' | 'offers'>,
  key: { accountId: string; id: string },
): Promise<Generation> {
  const row = await findGeneration(services.db, key);
  if (row === null) throw new Problem('not_found', 'There is no such generation.');
  const [generation] = await renderGenerations(services, key.accountId, [row], readServingFacts(services));
  return generation as Generation;
}
