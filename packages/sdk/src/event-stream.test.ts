import { expect, test } from 'vitest';
import { problem, type Reply, startScriptedServer } from '../testing/scripted-server.ts';
import { Atelier, InsufficientScopeError, type StreamMessage } from './index.ts';

const stream =
  (text: string, pieceChars = text.length): Reply =>
  async (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (let at = 0; at < text.length; at += pieceChars) {
      response.write(text.slice(at, at + pieceChars));
      await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  };
const event = (n: number) => `id: p${n}\nevent: generation.succeeded\ndata: {"id":"e${n}"}\n\n`;
const START = 'retry: 2000\nid: p0\n\n';

async function take(client: Atelier, count: number, after?: string): Promise<StreamMessage[]> {
  const messages: StreamMessage[] = [];
  for await (const message of client.events.stream({ after })) if (messages.push(message) === count) break;
  return messages;
}

test('it reconnects after the last event, through refusals and broken connections', async () => {
  const broken: Reply = (_request, response) => {
    response.writeHead(200);
    response.write(`${START}${event(3)}id: p4\nevent: generation.succ`, () => response.socket?.resetAndDestroy());
  };
  await using server = await startScriptedServer(
    stream(`${START}: still here\n\n${event(1)}${event(2)}`, 7),
    problem(503, 'unavailable', { 'retry-after': '0' }),
    broken,
    stream(event(4)),
  );
  const messages = await take(new Atelier({ baseUrl: server.url, apiKey: 'key' }), 4, 'earlier');
  expect(messages).toMatchObject([1, 2, 3, 4].map((n) => ({ event: { id: `e${n}` }, after: `p${n}` })));
  expect(server.seen.map(({ headers }) => headers['last-event-id'])).toEqual(['earlier', 'p2', 'p2', 'p3']);
});

test('progress has no position', async () => {
  const progress = { id: 'g1', status: 'processing', progress: 0.5, queuePosition: null };
  await using server = await startScriptedServer(
    stream(`${START}event: generation.progress\r\ndata: ${JSON.stringify(progress)}\r\n\r\n`),
  );
  const messages = await take(new Atelier({ baseUrl: server.url, apiKey: 'key' }), 1);
  expect(messages).toEqual([{ type: 'generation.progress', progress }]);
});

test('a key without the scope ends it', async () => {
  await using server = await startScriptedServer(problem(403, 'insufficient_scope'));
  await expect(take(new Atelier({ baseUrl: server.url, apiKey: 'key' }), 1)).rejects.toBeInstanceOf(
    InsufficientScopeError,
  );
});

test('an aborted signal ends it with its reason', async () => {
  await using server = await startScriptedServer((_request, response) => void response.writeHead(200).write(START));
  const controller = new AbortController();
  const messages = new Atelier({ baseUrl: server.url, apiKey: 'key' }).events.stream({
    signal: controller.signal,
    onOpen: () => controller.abort(new Error('stop')),
  });
  await expect(messages.next()).rejects.toThrow('stop');
});
