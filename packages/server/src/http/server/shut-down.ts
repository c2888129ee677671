import { Server } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** How long connections in the backlog are still accepted. */
const ACCEPT_MS = 1_000;

/**
 * Stops accepting connections and leaves open ones open: the server's own close would also close idle ones, on which a
 * request may be arriving. Call it before the app's close, which tells clients to reconnect.
 */
export async function stopListening(server: Server): Promise<void> {
  await emptyBacklog(server);
  Server.prototype.close.call(server);
}

/** Connections in the backlog would be reset. Each turn of the event loop accepts one. */
async function emptyBacklog(server: Server): Promise<void> {
  const deadlineMs = Date.now() + ACCEPT_MS;
  let accepted = 0;
  const count = () => {
    accepted += 1;
  };
  server.on('connection', count);
  for (let before = -1; before !== accepted && Date.now() < deadlineMs; ) {
    before = accepted;
    // Twice, because the first may run before this turn has polled the sockets.
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
  }
  server.off('connection', count);
}

/** Open connections get one more response each, until there was no request for this long. */
const QUIET_MS = 1_000;
const DRAIN_MS = 10_000;
const CHECK_INTERVAL_MS = 20;

/**
 * Makes the close of the app wait for its connections: Fastify tells each client with its next response to reconnect.
 * Call it after all other hooks on close are registered.
 */
export function drainOnClose(app: FastifyInstance): void {
  app.addHook('preClose', async () => {
    let askedAtMs = Date.now();
    app.server.on('request', () => {
      askedAtMs = Date.now();
    });
    const deadlineMs = Date.now() + DRAIN_MS;
    while (Date.now() < Math.min(askedAtMs + QUIET_MS, deadlineMs) && (await countConnections(app.server)) > 0) {
      await new Promise((resolve) => setTimeout(resolve, CHECK_INTERVAL_MS));
    }
    // A response that began before the close leaves its connection open.
    const sweep = setInterval(() => setImmediate(() => app.server.closeIdleConnections()), CHECK_INTERVAL_MS);
    app.server.once('close', () => clearInterval(sweep));
    // Fastify closes idle connections next. Wait until the sockets were polled, so that none only looks idle.
    await new Promise((resolve) => setImmediate(resolve));
  });
}

function countConnections(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((error, count) => resolve(error === null ? count : 0)));
}
