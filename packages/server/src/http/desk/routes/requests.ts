import { findRequest } from '../../../domain/generations/operate/find-request.ts';
import type { DeskRoutes } from '../desk-handler.ts';

const NOTHING = { requests: [], generation: null, failures: [] };

export const requestRoutes: DeskRoutes<'findRequest'> = {
  findRequest: async (services, { query }) => {
    const found = query.id === undefined ? null : await findRequest(services, query.id);
    if (found === null) return NOTHING;
    const { requests, shown } = found;
    return {
      requests: requests.map((each) => ({
        ...each,
        issuePaths: [...each.issuePaths],
        createdAt: each.createdAt.toISOString(),
      })),
      generation: shown === null ? null : showTimes(shown.generation),
      failures: (shown?.failures ?? []).map((each) => ({ ...each, createdAt: each.createdAt.toISOString() })),
    };
  },
};

function showTimes<T extends { createdAt: Date; startedAt: Date | null; completedAt: Date | null }>(generation: T) {
  const { createdAt, startedAt, completedAt } = generation;
  return {
    ...generation,
    createdAt: createdAt.toISOString(),
    startedAt: startedAt?.toISOString() ?? null,
    completedAt: completedAt?.toISOString() ?? null,
  };
}
