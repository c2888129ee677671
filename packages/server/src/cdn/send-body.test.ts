import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { startTestCdn } from './testing/start-test-cdn.ts';

test('an object that is longer than its row breaks the connection, and no byte beyond its length is sent', async () => {
  const length = 100_000;
  const cdn = await startTestCdn({
    wrapStore: (store) => ({
      head: store.head,
      read: async () => ({
        object: { bytes: length, etag: 'x', lastModified: new Date() },
        stream: Readable.from([Buffer.alloc(60_000, 'a'), Buffer.alloc(60_000, 'b')]),
      }),
    }),
  });
  const { pathname, search, host } = new URL(cdn.link(await cdn.add({ bytes: Buffer.alloc(length) })));
  const received: Buffer[] = [];
  await new Promise<void>((resolve) => {
    const socket = connect(cdn.port, '127.0.0.1');
    socket.on('data', (chunk) => received.push(chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve());
    socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  });
  const answer = Buffer.concat(received).toString('latin1');
  const body = answer.slice(answer.indexOf('\r\n\r\n') + 4);
  expect(body.length).toBeLessThan(length);
  expect(body).not.toContain('b');
  expect(cdn.logged).toEqual(['serving a file failed']);
  await cdn.close();
});
