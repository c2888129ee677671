import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Customers' endpoints in a process of their own. The path says how one behaves: /<anything>/<delay in ms>. It keeps, for
 * each request, the path, the event id and the time at which its first bytes were there; or, when told to, only their count.
 */
export interface Arrival {
  readonly path: string;
  readonly eventId: string;
  readonly atMs: number;
}

export type ReceiverOrder = 'report' | 'count' | 'forget';

const countOnly = process.argv[2] === 'count';
const arrivals: Arrival[] = [];
let count = 0;
let lastMs = 0;

const server = createServer({ keepAliveTimeout: 30_000 }, (request, response) => {
  const atMs = performance.timeOrigin + performance.now();
  count += 1;
  lastMs = atMs;
  const path = request.url ?? '';
  if (!countOnly) arrivals.push({ path, eventId: String(request.headers['service-event-id']), atMs });
  const delayMs = Number(path.slice(path.lastIndexOf('/') + 1));
  request.resume();
  request.once('end', () => {
    if (delayMs > 0) setTimeout(() => response.writeHead(200).end(), delayMs);
    else response.writeHead(200).end();
  });
});
server.listen(0, '127.0.0.1', 4_096, () => process.send?.({ port: (server.address() as AddressInfo).port }));

process.on('message', (order: ReceiverOrder) => {
  if (order === 'count') process.send?.({ count, lastMs });
  if (order === 'report') process.send?.({ arrivals });
  if (order === 'forget') {
    arrivals.length = 0;
    count = 0;
    process.send?.({ forgotten: true });
  }
});
process.on('disconnect', () => process.exit(0));
