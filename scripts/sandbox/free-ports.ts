import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the range from which the kernel takes the ports of outgoing connections: it could take a free port there before it is used. */
const FROM = 10_000;
const TO = 32_768;
const TRIES = 100;
/** What this process was given, since a port is free again until its server starts. */
const given = new Set<number>();

/** Free ports on loopback, chosen at random so that processes that ask at the same time get different ones. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  for (let tries = 0; ports.length < count && tries < TRIES * count; tries += 1) {
    const port = randomInt(FROM, TO);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    ports.push(port);
  }
  if (ports.length < count) throw new Error(`No ${count} free ports between ${FROM} and ${TO}`);
  return ports;
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
