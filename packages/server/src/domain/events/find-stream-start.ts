import { Problem } from '../../platform/problem.ts';
import type { Services } from '../services.ts';
import { type FeedPlace, findFeedEnd } from './events.store.ts';
import { openPlace, signPlace } from './feed-place.ts';

export interface StreamStart {
  readonly after: FeedPlace;
  /** The same position, for clients. */
  readonly token: string;
}

/** Where a stream starts: at the position that the client sends, or now. */
export async function findStreamStart(
  services: Pick<Services, 'db' | 'keys'>,
  options: { accountId: string; token: string | undefined },
): Promise<StreamStart> {
  const { keys } = services;
  const { accountId, token } = options;
  if (token === undefined) {
    const after = await findFeedEnd(services.db);
    return { after, token: signPlace({ keys, accountId, place: after }) };
  }
  const after = openPlace({ keys, accountId, token });
  if (after === null) {
    throw new Problem('invalid_params', 'Invalid cursor.', {
      issues: [{ path: 'after', message: 'must be an event id of this stream or a nextAfter of the list of events' }],
    });
  }
  return { after, token };
}
