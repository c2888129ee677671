import { Server } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** How long connections that wait to be accepted are still taken in. */
const ACCEPT_MS = 1_000;

/**
 * Lets nobody new in, and leaves every open connection open: the server's own close would also cut those that look idle,
 * and a request may be on its way on any of them. It comes before the app's close, which tells clients to connect anew.
 */
export async function stopListening(server: Server): Promise<void> {
  await emptyBacklog(server);
  Server.prototype.close.call(server);
}

/** Whoever is connected but not yet accepted would be reset. Each turn of the event loop accepts one. */
async function emptyBacklog(server: Server): Promise<void> {
  const deadlineMs = Date.now() + ACCEPT_MS;
  let accepted = 0;
  const count = () => {
    accepted += 1;
  };
  server.on('connection', count);
  for (let before = -1; before !== accepted && Date.now() < deadlineMs; ) {
    before = accepted;
    // Twice, since the first may come before this turn has looked at the sockets.
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
  }
  server.off('connection', count);
}

/** Open connections get one more answer each, until none has asked for this long. */
const QUIET_MS = 1_000;
const DRAIN_MS = 10_000;
const CHECK_INTERVAL_MS = 20;

/**
 * Makes the close of the app wait for its connections: with its next answer each client is told by the framework to leave.
 * To be called after everything else that acts on the close.
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
    // An answer that was begun before the close leaves its connection open; nobody else would end it.
    const sweep = setInterval(() => setImmediate(() => app.server.closeIdleConnections()), CHECK_INTERVAL_MS);
    app.server.once('close', () => clearInterval(sweep));
    // What follows closes idle connections: after the sockets were read, so that none is idle only for not being read.
    await new Promise((resolve) => setImmediate(resolve));
  });
}

function countConnections(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((error, count) => resolve(error === null ? count : 0)));
}
