import { fastify } from 'fastify';
import { serveGuide } from '../../packages/server/src/http/discovery/serve-guide.ts';

export interface ServedSite extends AsyncDisposable {
  readonly url: string;
}

/** Serves the built documentation as the API does, on a free port. */
export async function serveSite(guideDir: string): Promise<ServedSite> {
  const app = fastify();
  await serveGuide(app, { guideDir });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return { url, [Symbol.asyncDispose]: () => app.close() };
}
