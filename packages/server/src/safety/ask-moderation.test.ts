import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { askModeration } from './ask-moderation.ts';
import { DEFAULT_SAFETY_SETTINGS } from './safety-settings.ts';
import { SafetyUnavailable } from './verdict.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serve(listener: RequestListener) {
  server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server!.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { ...DEFAULT_SAFETY_SETTINGS.moderation, url, apiKey: 'sk-x', model: 'omni', timeoutMs: 500 };
}

const answerWith = (body: unknown, status = 200): RequestListener => {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
};

test('sends an OpenAI moderation request and reads the highest score', async () => {
  const asked: { path?: string; key?: string; body?: unknown } = {};
  const settings = await serve(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    asked.path = `${request.method} ${request.url}`;
    asked.key = String(request.headers.authorization);
    asked.body = JSON.parse(Buffer.concat(pieces).toString());
    const result = { flagged: true, categories: {}, category_scores: { 'sexual/minors': 0.91, violence: 0.2 } };
    response.end(JSON.stringify({ model: 'omni-1', results: [result] }));
  });
  expect(await askModeration('some words', settings)).toEqual({
    flagged: true,
    category: 'sexual-minors',
    score: 0.91,
    engine: 'remote-moderation',
    version: 'omni-1',
  });
  expect(asked).toEqual({
    path: 'POST /v1/moderations',
    key: 'Bearer sk-x',
    body: { input: 'some words', model: 'omni' },
  });
});

test('a score above the threshold is flagged even when the server did not flag it', async () => {
  const answer = (score: number) => ({ results: [{ flagged: false, category_scores: { 'hate/threatening': score } }] });
  expect(await askModeration('x', await serve(answerWith(answer(0.8))))).toMatchObject({
    flagged: true,
    category: 'hate',
  });
  server!.close();
  expect(await askModeration('x', await serve(answerWith(answer(0.1))))).toMatchObject({ flagged: false });
});

test('without scores, the flag of the server counts', async () => {
  const settings = await serve(answerWith({ results: [{ flagged: true, categories: { 'self-harm/intent': true } }] }));
  expect(await askModeration('x', settings)).toMatchObject({ flagged: true, category: 'self-harm', score: 1 });
});

test.each<[string, RequestListener]>([
  ['an error', answerWith({ error: { message: 'busy' } }, 503)],
  ['an unexpected shape', answerWith({ detail: 'no' })],
  ['an empty list', answerWith({ results: [] })],
  ['invalid JSON', (_request, response) => void response.end('<html>')],
  ['no response', () => {}],
  ['an endless body', (_request, response) => void response.write('{'.repeat(600_000))],
  ['a closed connection', (request) => void request.socket.destroy()],
])('%s makes the check unavailable', async (_name, listener) => {
  await expect(askModeration('x', await serve(listener))).rejects.toThrow(SafetyUnavailable);
});
