import { Problem } from '../../../platform/problem.ts';
import type { Services } from '../../services.ts';
import { type EndpointRow, findEndpoint } from './endpoints.store.ts';

export async function getEndpoint(
  services: Pick<Services, 'db'>,
  key: { accountId: string; endpointId: string },
): Promise<EndpointRow> {
  const found = await findEndpoint(services.db, key);
  if (found === null) throw new Problem('not_found', 'There is no such webhook endpoint.');
  return found;
}
