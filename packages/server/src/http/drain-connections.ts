import { Server } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** How long connections that wait to be accepted are still taken in. */
const ACCEPT_MS = 1_000;
/** How long open connections get one more answer after the listening has stopped. */
const DRAIN_MS = 2_000;
const CHECK_INTERVAL_MS = 20;

/**
 * On close, stops listening and lets open connections have one more answer each, in which the framework tells the client
 * to leave. The server's own close would cut idle connections at once, and a request may be on its way on any of them.
 */
export function drainConnections(app: FastifyInstance): void {
  app.addHook('preClose', async () => {
    await emptyBacklog(app.server);
    Server.prototype.close.call(app.server);
    const deadline = Date.now() + DRAIN_MS;
    while (Date.now() < deadline && (await countConnections(app.server)) > 0) {
      await new Promise((resolve) => setTimeout(resolve, CHECK_INTERVAL_MS));
    }
    // An answer that was begun before the close leaves its connection open; nobody else would end it.
    const sweep = setInterval(() => setImmediate(() => app.server.closeIdleConnections()), CHECK_INTERVAL_MS);
    app.server.once('close', () => clearInterval(sweep));
    // What follows closes idle connections: after the sockets were read, so that none is idle only for not being read.
    await socketsWereRead();
  });
}

/** Whoever is connected but not yet accepted would be reset. */
async function emptyBacklog(server: Server): Promise<void> {
  const deadline = Date.now() + ACCEPT_MS;
  let accepted = 0;
  const count = () => {
    accepted += 1;
  };
  server.on('connection', count);
  for (let before = -1; before !== accepted && Date.now() < deadline; ) {
    before = accepted;
    await socketsWereRead();
    await socketsWereRead();
  }
  server.off('connection', count);
}

/** Resolves just after the event loop has looked at every socket. */
function socketsWereRead(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function countConnections(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((error, count) => resolve(error === null ? count : 0)));
}
