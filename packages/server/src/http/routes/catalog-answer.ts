import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isSunset, type Openness } from '../../domain/catalog/availability.ts';
import type { Catalog } from '../../domain/catalog/catalog.ts';
import type { Services } from '../../domain/services.ts';
import { createRecentMap } from '../../platform/flow/recent-map.ts';

const CACHE_SECONDS = 60;
const MAX_KEPT = 100;

type CatalogServices = Pick<Services, 'switches' | 'offers' | 'listsEveryModel' | 'clock' | 'catalog'>;

/**
 * Public responses that change only with the catalog and model availability: each is made once per version, has an ETag,
 * and clients may cache it for a minute.
 */
export function createCatalogAnswer() {
  const kept = createRecentMap<{ version: string; etag: string; value: unknown }>(MAX_KEPT);
  return <T>(
    services: CatalogServices,
    answer: {
      /** Identifies the response; omit it if there is only one. */
      key?: string;
      request: FastifyRequest;
      reply: FastifyReply;
      make: (catalog: Catalog, openness: Openness) => T;
    },
  ): T => {
    const { key = '' } = answer;
    const catalog = services.catalog();
    const openness = describeOpenness(services);
    const version = `${catalog.version}-${nameOpenness(openness, catalog)}`;
    let known = kept.get(key);
    if (known === undefined || known.version !== version) {
      const value = answer.make(catalog, openness);
      const etag = `"${createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22)}"`;
      known = { version, etag, value };
      kept.set(key, known);
    }
    answer.reply.header('cache-control', `public, max-age=${CACHE_SECONDS}`);
    answer.reply.header('etag', known.etag);
    if (matches(answer.request.headers['if-none-match'], known.etag)) answer.reply.code(304);
    return known.value as T;
  };
}

/** What decides which models are listed now. */
export function describeOpenness(services: CatalogServices): Openness {
  return {
    closedModelIds: services.switches.current().closedModels,
    offers: services.offers(),
    listsUnserved: services.listsEveryModel,
    at: services.clock.now(),
  };
}

/** A name that changes when the list of available models could change. */
function nameOpenness({ closedModelIds, offers, at }: Openness, catalog: Catalog): string {
  const sunset = [...catalog.models.values()].filter((model) => isSunset(model, at));
  const names = [closedModelIds, offers ?? [], sunset.map(({ entry }) => entry.id)];
  return names.map((each) => [...each].sort().join(',')).join(';');
}

function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((each) => each.trim().replace(/^W\//, '') === etag || each.trim() === '*');
}
