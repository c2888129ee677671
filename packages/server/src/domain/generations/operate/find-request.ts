import { findRequestRecord, listRequestsOf, type RequestRecord } from '../../operator/request-records.ts';
import type { Services } from '../../services.ts';
import { type ShownGeneration, showGeneration } from '../read/show-generation.ts';

const MAX_REQUESTS = 20;

export interface FoundRequest {
  /** Those of the generation, oldest first; of a refusal, the request itself. */
  readonly requests: readonly RequestRecord[];
  readonly shown: ShownGeneration | null;
}

/** What became of a request, by its id or by that of its generation. Null if neither is known. */
export async function findRequest(services: Pick<Services, 'db'>, id: string): Promise<FoundRequest | null> {
  const request = await findRequestRecord(services, id);
  const shown = await showGeneration(services, request?.generationId ?? id);
  if (shown === null) return request === null ? null : { requests: [request], shown };
  const { id: generationId, accountId } = shown.generation;
  return { requests: await listRequestsOf(services, { accountId, generationId, limit: MAX_REQUESTS }), shown };
}
