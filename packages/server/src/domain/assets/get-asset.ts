import type { Asset } from '@atelier/contract';
import { Problem } from '../../platform/problem.ts';
import type { Services } from '../services.ts';
import { findAsset } from './assets.store.ts';
import { renderAsset } from './render-asset.ts';

export async function getAsset(
  services: Pick<Services, 'db' | 'keys' | 'clock' | 'cdnUrl'>,
  key: { accountId: string; id: string },
): Promise<Asset> {
  const row = await findAsset(services.db, key);
  if (row === null) throw new Problem('not_found', 'There is no such asset.');
  return renderAsset(services, row);
}
