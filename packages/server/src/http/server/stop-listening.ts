import { Server } from 'node:net';

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
