import { afterEach, expect, it, vi } from 'vitest';
import { ApiProblem } from './problem.ts';
import { readFile, readFilename } from './read-file.ts';

afterEach(() => vi.unstubAllGlobals());

it.each([
  ['inline; filename="a b.png"', 'a b.png'],
  [`attachment; filename="_.glb"; filename*=UTF-8''%E6%97%A5.glb`, '日.glb'],
  ['attachment', null],
  ['attachment; filename=""', null],
])('the name in %s is %s', (disposition, name) => {
  expect(readFilename(disposition)).toBe(name);
});

const answer = (body: string, init?: ResponseInit) => vi.stubGlobal('fetch', async () => new Response(body, init));

it('reads a file with its name', async () => {
  answer('hello', { headers: { 'content-disposition': 'inline; filename="t.txt"', 'content-type': 'text/plain' } });
  const { bytes, filename } = await readFile('/f', { maxBytes: 5 });
  expect([await bytes.text(), bytes.type, filename]).toEqual(['hello', 'text/plain', 't.txt']);
});

it('refuses a file that is too large, or that is gone', async () => {
  answer('hello!');
  await expect(readFile('/f', { maxBytes: 5 })).rejects.toThrow(ApiProblem);
  answer('', { status: 404 });
  await expect(readFile('/f', { maxBytes: 5 })).rejects.toThrow(ApiProblem);
});
