import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import scalar from '@scalar/fastify-api-reference';
import type { FastifyInstance } from 'fastify';
import { renderLlmsText } from './render-llms-text.ts';

/** The public description: machines read /openapi.json and /llms.txt, people read /docs. */
export async function bindDiscovery(app: FastifyInstance): Promise<void> {
  const description = await readFile(fileURLToPath(import.meta.resolve('@atelier/contract/openapi.json')), 'utf8');
  const llms = renderLlmsText();
  const link =
    '</openapi.json>; rel="service-desc"; type="application/json", </docs>; rel="service-doc"; type="text/html"';

  app.get('/', async (_request, reply) =>
    reply
      .header('link', link)
      .send({ name: 'Atelier', documentation: '/docs', description: '/openapi.json', models: '/v1/models' }),
  );
  app.get('/openapi.json', async (_request, reply) =>
    reply.header('cache-control', 'public, max-age=300').type('application/json; charset=utf-8').send(description),
  );
  app.get('/llms.txt', async (_request, reply) => reply.type('text/plain; charset=utf-8').send(llms));
  await app.register(scalar, {
    routePrefix: '/docs',
    configuration: { url: '/openapi.json', title: 'Atelier API', hideClientButton: true, telemetry: false } as never,
  });
}
