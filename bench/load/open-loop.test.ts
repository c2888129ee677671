import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { formatRequest, measureOpenLoop } from './measure-open-loop.ts';

const server = createServer();
afterEach(() => {
  server.removeAllListeners('request');
  server.closeAllConnections();
  server.close();
});

async function measure(listener: RequestListener, { perSecond = 200, seconds = 2 } = {}) {
  server.on('request', listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const request = formatRequest({ method: 'GET', url: `${origin}/`, key: 'none' });
  return measureOpenLoop({ origin, requests: [request], perSecond, seconds });
}

const STALL_MS = 200;

test('a server that stalls once for 200 ms shows it in the p99, because requests stay due meanwhile', async () => {
  let seen = 0;
  const figures = await measure((_request, response) => {
    seen += 1;
    // One tenth of the run: 40 of 400 requests are due while the process sleeps.
    if (seen === 200) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STALL_MS);
    response.end('ok');
  });
  expect(figures.requests).toBe(400);
  expect(figures.p99Ms).toBeGreaterThan(STALL_MS * 0.75);
  expect(figures.p50Ms).toBeLessThan(STALL_MS / 2);
});

test('requests are sent on time although no earlier one was answered', async () => {
  let open = 0;
  let most = 0;
  await measure(
    (_request, response) => {
      open += 1;
      most = Math.max(most, open);
      setTimeout(() => {
        open -= 1;
        response.end('ok');
      }, 500);
    },
    { perSecond: 200, seconds: 1 },
  );
  // 200 a second for half a second each; more connections than are open at the start.
  expect(most).toBeGreaterThan(60);
});

test('a refused request fails the measurement', async () => {
  await expect(
    measure(
      (_request, response) => {
        response.statusCode = 503;
        response.end('no');
      },
      { perSecond: 50, seconds: 0.2 },
    ),
  ).rejects.toThrow('10 requests failed');
});
