import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { findAmbiguity, MAX_HEADERS } from './find-ambiguity.ts';

function requestOf(
  pairs: ReadonlyArray<readonly [string, string]>,
  version: [number, number] = [1, 1],
): IncomingMessage {
  const headers = Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), value]));
  const [httpVersionMajor, httpVersionMinor] = version;
  return { httpVersionMajor, httpVersionMinor, rawHeaders: pairs.flat(), headers } as unknown as IncomingMessage;
}

const HOST = ['Host', 'a'] as const;
const fill = (count: number) => Array.from({ length: count }, (_, n) => [`A${n}`, '1'] as const);

describe('findAmbiguity', () => {
  test.each([
    ['an ordinary request', [HOST, ['Authorization', 'Bearer a'], ['Content-Type', 'text/plain']]],
    ['repeated fields that are lists', [HOST, ['Accept', 'a'], ['Accept', 'b'], ['Cookie', 'a'], ['Cookie', 'b']]],
    ['100-continue in any case', [HOST, ['Expect', '100-Continue']]],
    ['chunks', [HOST, ['Transfer-Encoding', 'Chunked']]],
    ['as many fields as are allowed', [HOST, ...fill(MAX_HEADERS - 1)]],
  ] as const)('%s is unambiguous', (_name, pairs) => {
    expect(findAmbiguity(requestOf(pairs))).toBeNull();
  });

  test.each([
    ['two hosts', 400, [HOST, ['host', 'a']]],
    ['two authorizations', 400, [HOST, ['authorization', 'a'], ['AUTHORIZATION', 'a']]],
    ['two content types', 400, [HOST, ['Content-Type', 'a'], ['content-type', 'a']]],
    ['no host', 400, [['Accept', 'a']]],
    ['another coding', 400, [HOST, ['Transfer-Encoding', 'gzip, chunked']]],
    ['another expectation', 417, [HOST, ['Expect', 'a']]],
    ['too many fields', 431, [HOST, ...fill(MAX_HEADERS)]],
  ] as const)('%s is refused', (_name, status, pairs) => {
    expect(findAmbiguity(requestOf(pairs))?.status).toBe(status);
  });

  test('HTTP/1.0 needs no host, HTTP/0.9 is refused', () => {
    expect(findAmbiguity(requestOf([], [1, 0]))).toBeNull();
    expect(findAmbiguity(requestOf([], [0, 9]))?.status).toBe(400);
  });
});
