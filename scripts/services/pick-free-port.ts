import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

// Below the range of ephemeral ports: a restarted service needs its port again, and a client that keeps connecting to a
// closed port in that range can end up connected to itself.
const FIRST_PORT = 20_000;
const LAST_PORT = 26_700;
const TRIES = 50;

export async function pickFreePort(): Promise<number> {
  for (let n = 0; n < TRIES; n++) {
    const port = randomInt(FIRST_PORT, LAST_PORT);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port between ${FIRST_PORT} and ${LAST_PORT} after ${TRIES} tries`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
