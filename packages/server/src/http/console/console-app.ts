import { operations } from '@atelier/contract';
import { type ConsoleOperationId, consoleOperations, sessionPath } from '@atelier/contract/console';
import type { FastifyInstance } from 'fastify';
import { bindOperations } from '../bind-operations.ts';
import { createBodyDeadlines } from '../body/body-deadlines.ts';
import { bindThumbnails } from '../discovery/bind-thumbnails.ts';
import { createHttpServer, type HttpServerOptions } from '../server/create-http-server.ts';
import type { KnownPath } from '../server/refuse-early.ts';
import { drainOnClose } from '../server/shut-down.ts';
import { createSessionAdmission } from './admit-session.ts';
import { bindConsoleOperation, type ConsoleContext } from './bind-console-operation.ts';
import { bindIdentity } from './bind-identity.ts';
import type { ConsoleHandler } from './console-handler.ts';
import { consoleHandlers } from './routes.ts';
import { type SecurityOptions, securityHeaders } from './security-headers.ts';
import { servePages } from './serve-pages.ts';

export interface ConsoleAppOptions
  extends Omit<HttpServerOptions, 'services' | 'paths' | 'headers'>,
    Omit<ConsoleContext, 'bodyDeadlines'>,
    SecurityOptions {
  /** The built pages. */
  readonly pagesDir: string;
  /** Where the pictures of the effects are. */
  readonly thumbnailDir: string;
  readonly ready: () => Promise<Record<string, boolean>>;
}

/** The paths of the console's API. Pages and files are answered by one more route, for GET alone. */
const CONSOLE_PATHS: readonly KnownPath[] = [
  ...Object.values(consoleOperations),
  ...Object.values(operations).map(({ method, path }) => ({ method, path: sessionPath(path) })),
  { method: 'GET', path: '/healthz' },
  { method: 'GET', path: '/readyz' },
  { method: 'GET', path: '/effects/{file}' },
];

/** The console: its pages, sign-in, its own operations, and those of the public API for signed-in people. */
export async function createConsoleApp(options: ConsoleAppOptions): Promise<FastifyInstance> {
  const app = await createHttpServer({ ...options, paths: CONSOLE_PATHS, headers: securityHeaders(options) });
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const parts = await options.ready();
    const ready = Object.values(parts).every(Boolean);
    return reply
      .code(ready ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({ status: ready ? 'ok' : 'not ready', parts });
  });
  await bindIdentity(app, options);

  const bodyDeadlines = createBodyDeadlines();
  app.addHook('onClose', async () => bodyDeadlines.close());
  const context: ConsoleContext = { ...options, bodyDeadlines };
  for (const [id, handler] of Object.entries(consoleHandlers) as Array<
    [ConsoleOperationId, ConsoleHandler<ConsoleOperationId>]
  >) {
    bindConsoleOperation(app, context, id, handler);
  }
  bindThumbnails(app, options);
  bindOperations(app, {
    // The pages load the thumbnails of the effects from here: their policy allows no request to the API's host.
    services: { ...options.services, publicUrl: options.origin },
    checkResponses: options.checkResponses,
    admit: createSessionAdmission(options),
    pathOf: sessionPath,
  });
  await servePages(app, { dir: options.pagesDir });
  // Last, so that the streams have ended before the connections are waited for.
  drainOnClose(app);
  return app;
}
