import type { Server } from 'node:http';
import type { FastifyInstance } from 'fastify';

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
