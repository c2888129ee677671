import type { OperationId } from '@atelier/contract';
import type { FastifyInstance } from 'fastify';
import { createKnownKeyCheck } from '../domain/accounts/create-known-key-check.ts';
import { createReceiveCallback } from '../domain/generations/run/callbacks.ts';
import { throttleUnknownKeys } from './auth/authenticate.ts';
import { bindCallbacks } from './bind-callbacks.ts';
import { type ApiContext, bindOperation } from './bind-operation.ts';
import { bindStream } from './bind-stream.ts';
import { createBodyDeadlines } from './body/body-deadlines.ts';
import { bindDiscovery } from './discovery/bind-discovery.ts';
import type { OperationHandler } from './operation-handler.ts';
import { handlers, streams } from './routes.ts';
import { createHttpServer, type HttpServerOptions } from './server/create-http-server.ts';
import { drainOnClose } from './server/shut-down.ts';

export interface AppOptions
  extends Omit<HttpServerOptions, 'services'>,
    Omit<ApiContext, 'bodyDeadlines' | 'authenticate'> {
  /** Unknown keys that an address may send in a minute. */
  readonly unknownKeyLimit: number;
  readonly bodyTimeoutMs?: number;
  /** Where the pictures of the effects are. */
  readonly thumbnailDir: string;
  readonly ready: () => Promise<Record<string, boolean>>;
}

const BODY_TIMEOUT_MS = 15_000;

export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  const app = await createHttpServer(options);
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const parts = await options.ready();
    const ready = Object.values(parts).every(Boolean);
    return reply
      .code(ready ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({ status: ready ? 'ok' : 'not ready', parts });
  });
  await bindDiscovery(app, options);
  await bindCallbacks(app, createReceiveCallback(options.services));

  const bodyDeadlines = createBodyDeadlines(options.bodyTimeoutMs ?? BODY_TIMEOUT_MS);
  app.addHook('onClose', async () => bodyDeadlines.close());
  const authenticate = throttleUnknownKeys({
    authenticateKey: options.services.authenticateKey,
    isKnownKey: createKnownKeyCheck(options.services),
    limit: options.unknownKeyLimit,
  });
  const context: ApiContext = { ...options, bodyDeadlines, authenticate };
  for (const [id, handler] of Object.entries(handlers) as Array<[OperationId, OperationHandler<OperationId>]>) {
    bindOperation(app, context, id, handler);
  }
  bindStream(app, context, 'streamEvents', streams.streamEvents);
  // Last, so that the streams have ended before the connections are waited for.
  drainOnClose(app);
  return app;
}
