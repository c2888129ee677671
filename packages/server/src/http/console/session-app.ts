import type { FastifyInstance } from 'fastify';
import { type BodyDeadlines, createBodyDeadlines } from '../body/body-deadlines.ts';
import { bindHealth, type DependencyStates } from '../server/bind-health.ts';
import { createHttpServer, type HttpServerOptions } from '../server/create-http-server.ts';
import type { KnownPath } from '../server/refuse-early.ts';
import { drainOnClose } from '../server/shut-down.ts';
import { bindIdentity } from './bind-identity.ts';
import type { Identity } from './identity.ts';
import { type SecurityOptions, securityHeaders } from './security-headers.ts';
import { servePages } from './serve-pages.ts';

export interface SessionAppOptions extends Omit<HttpServerOptions, 'paths' | 'headers'>, SecurityOptions {
  readonly identity: Identity;
  /** The built pages. */
  readonly pagesDir: string;
  readonly dependencies: DependencyStates;
}

const HEALTH_PATHS: readonly KnownPath[] = [
  { method: 'GET', path: '/healthz' },
  { method: 'GET', path: '/readyz' },
];

/**
 * A listener for signed-in people: health, sign-in, the operations that `bind` adds, and pages. `paths` are those of the
 * operations; pages and files are answered by one more route, for GET alone.
 */
export async function createSessionApp(
  options: SessionAppOptions,
  paths: readonly KnownPath[],
  bind: (app: FastifyInstance, bodyDeadlines: BodyDeadlines) => void,
): Promise<FastifyInstance> {
  const app = await createHttpServer({
    ...options,
    paths: [...paths, ...HEALTH_PATHS],
    headers: securityHeaders(options),
  });
  bindHealth(app, options.dependencies);
  await bindIdentity(app, options);
  const bodyDeadlines = createBodyDeadlines();
  app.addHook('onClose', async () => bodyDeadlines.close());
  bind(app, bodyDeadlines);
  await servePages(app, { dir: options.pagesDir });
  // Last, so that the streams have ended before the connections are waited for.
  drainOnClose(app);
  return app;
}
