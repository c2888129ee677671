import { listEffects } from '../../domain/catalog/list-effects.ts';
import type { Routes } from '../operation-handler.ts';
import { createCatalogAnswer } from './catalog-answer.ts';

const answerOnce = createCatalogAnswer();

export const effectRoutes: Routes<'listEffects'> = {
  listEffects: async (services, { request, reply }) =>
    answerOnce(services, {
      // The thumbnails are links, and each listener has its own address.
      key: services.publicUrl,
      request,
      reply,
      make: (catalog, openness) => listEffects(catalog, { ...openness, publicUrl: services.publicUrl }),
    }),
};
