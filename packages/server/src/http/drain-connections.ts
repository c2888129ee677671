import { Server } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** How long open connections get one more answer after the listening has stopped. */
const DRAIN_MS = 2_000;
const CHECK_INTERVAL_MS = 20;

/**
 * On close, stops listening and lets open connections have one more answer each, in which the framework tells the client
 * to leave. The server's own close would cut idle connections at once, and a request may be on its way on any of them.
 */
export function drainConnections(app: FastifyInstance): void {
  app.addHook('preClose', async () => {
    // Just after the poll phase, so that as few connections as possible wait unaccepted in the backlog.
    await new Promise((resolve) => setImmediate(resolve));
    Server.prototype.close.call(app.server);
    const deadline = Date.now() + DRAIN_MS;
    while (Date.now() < deadline && (await countConnections(app.server)) > 0) {
      await new Promise((resolve) => setTimeout(resolve, CHECK_INTERVAL_MS));
    }
    // An answer that was begun before the close leaves its connection open; nobody else would end it.
    const sweep = setInterval(() => app.server.closeIdleConnections(), CHECK_INTERVAL_MS);
    app.server.once('close', () => clearInterval(sweep));
  });
}

function countConnections(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((error, count) => resolve(error === null ? count : 0)));
}
