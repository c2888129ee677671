import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { problems } from '@atelier/contract';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { Problem } from '../../platform/problem.ts';
import { bindThumbnails } from './bind-thumbnails.ts';
import { renderLlmsText } from './render-llms-text.ts';
import { serveGuide } from './serve-guide.ts';

/** Enforces in the browser that the page loads nothing from elsewhere. */
const REFERENCE_POLICY =
  "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; " +
  "font-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The public description: /openapi.json and /llms.txt for machines; /guide, /docs and the problem pages for people. */
export async function bindDiscovery(
  app: FastifyInstance,
  options: { thumbnailDir: string; guideDir: string },
): Promise<void> {
  const description = await readFile(fileURLToPath(import.meta.resolve('@atelier/contract/openapi.json')), 'utf8');
  const llms = renderLlmsText();
  const problemPages = await readProblemPages();
  const link =
    '</openapi.json>; rel="service-desc"; type="application/json", </docs>; rel="service-doc"; type="text/html"';

  app.get('/', async (_request, reply) =>
    reply.header('link', link).send({
      name: 'Atelier',
      guide: '/guide/',
      documentation: '/docs',
      description: '/openapi.json',
      models: '/v1/models',
    }),
  );
  app.get('/openapi.json', async (_request, reply) =>
    reply.header('cache-control', 'public, max-age=300').type('application/json; charset=utf-8').send(description),
  );
  app.get('/llms.txt', async (_request, reply) => reply.type('text/plain; charset=utf-8').send(llms));
  app.get<{ Params: { code: string } }>('/problems/:code', async (request, reply) => {
    // The pages link to each other by file name.
    const page = problemPages.get(request.params.code.replace(/\.md$/, ''));
    if (page === undefined) throw new Problem('not_found', 'Unknown problem code.');
    return reply.header('cache-control', 'public, max-age=300').type('text/markdown; charset=utf-8').send(page);
  });
  bindThumbnails(app, options);
  bindReference(app);
  await serveGuide(app, options);
}

/**
 * The API reference for people. Loading its library takes a tenth of the start time, and most processes never show
 * it: a separate app is created at the first request.
 */
function bindReference(app: FastifyInstance): void {
  let reference: Promise<FastifyInstance> | undefined;
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    reference ??= createReference().catch((error: unknown) => {
      reference = undefined;
      throw error;
    });
    const made = await (await reference).inject({ method: 'GET', url: request.url, headers: { accept: '*/*' } });
    return reply
      .code(made.statusCode)
      .headers({ ...made.headers, 'content-security-policy': REFERENCE_POLICY })
      .send(made.rawPayload);
  };
  app.get('/docs', answer);
  app.get('/docs/*', answer);
  app.addHook('onClose', async () => (await reference)?.close());
}

async function createReference(): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const app = fastify();
  await app.register(scalar, {
    routePrefix: '/docs',
    // No requests to third parties: no fonts, no telemetry, no assistant.
    configuration: {
      url: '/openapi.json',
      title: 'Atelier API',
      pageTitle: 'Atelier API',
      hideClientButton: true,
      telemetry: false,
      withDefaultFonts: false,
      showDeveloperTools: 'never',
      agent: { disabled: true },
      mcp: { disabled: true },
      defaultOpenAllTags: true,
    } as never,
  });
  return app;
}

const PAGES = new URL('../../../../../docs/problems/', import.meta.url);

/** The page of every problem code: the `type` of a problem links to it. */
export async function readProblemPages(): Promise<ReadonlyMap<string, string>> {
  const read = async (code: string) =>
    [code, await readFile(fileURLToPath(new URL(`${code}.md`, PAGES)), 'utf8')] as const;
  return new Map(await Promise.all(Object.keys(problems).map(read)));
}
