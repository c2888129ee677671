import type { FastifyInstance } from 'fastify';

/** Whether each part that the process needs answers. */
export type Ready = () => Promise<Record<string, boolean>>;

/** `/healthz` says that the process runs, `/readyz` that it can serve requests. */
export function bindHealth(app: FastifyInstance, ready: Ready): void {
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const parts = await ready();
    const isReady = Object.values(parts).every(Boolean);
    return reply
      .code(isReady ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({ status: isReady ? 'ok' : 'not ready', parts });
  });
}
