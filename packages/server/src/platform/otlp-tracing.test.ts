import { createServer, type Server } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { createOtlpTracing, type OtlpTracingOptions } from './otlp-tracing.ts';
import { NO_SPAN, parseTraceparent, renderTraceparent, withSpan } from './tracing.ts';

const IDS = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };

describe('a trace context', () => {
  test('is read and rendered', () => {
    expect(parseTraceparent(renderTraceparent(IDS))).toEqual(IDS);
    expect(parseTraceparent(`01-${IDS.traceId}-${IDS.spanId}-00-later`)).toEqual(IDS);
  });

  test.each([
    '',
    'x',
    `00-${IDS.traceId}-${IDS.spanId}`,
    `ff-${IDS.traceId}-${IDS.spanId}-01`,
    `00-${'0'.repeat(32)}-${IDS.spanId}-01`,
    `00-${IDS.traceId}-${'0'.repeat(16)}-01`,
    `00-${IDS.traceId.toUpperCase()}-${IDS.spanId}-01`,
    `00-${IDS.traceId}-${IDS.spanId}-01x`,
  ])('%j is refused', (text) => expect(parseTraceparent(text)).toBeNull());
});

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A collector, and tracing that sends to it. It answers unless told otherwise. */
async function open(options: Partial<OtlpTracingOptions> & { answers?: boolean } = {}) {
  const bodies: string[] = [];
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      bodies.push(body);
      if (options.answers !== false) response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const counts = { ended: 0, sent: 0, lost: 0 };
  const tracing = createOtlpTracing({
    endpoint: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    headers: {},
    share: 1,
    serviceName: 'test',
    version: '1',
    role: 'api',
    cell: 'c1',
    instance: 'here',
    onEnded: () => {
      counts.ended += 1;
    },
    onSent: ({ count, ok }) => {
      counts[ok ? 'sent' : 'lost'] += count;
    },
    ...options,
  });
  return { tracing, bodies, counts };
}

test('a failed span has the code of its error and never its message', async () => {
  const { tracing, bodies, counts } = await open();
  const root = tracing.startTrace('request', { kind: 'server', fields: { operation: 'createQuote' } });
  const span = tracing.startSpan('work', { kind: 'internal', parent: root.traceparent, fields: {} });
  const error = Object.assign(new Error('the prompt of a customer'), { code: 'timeout' });
  await expect(withSpan(span, () => Promise.reject(error))).rejects.toBe(error);
  root.end();
  await tracing.close();
  expect(counts).toEqual({ ended: 2, sent: 2, lost: 0 });
  const text = bodies.join('');
  expect(text).toContain('"timeout"');
  expect(text).not.toContain('the prompt of a customer');
});

test('unknown fields are dropped and long values cut', async () => {
  const { tracing, bodies } = await open();
  const fields = { operation: 'x'.repeat(5_000), prompt: 'secret words' };
  tracing.startTrace('request', { kind: 'server', fields }).end();
  await tracing.close();
  expect(bodies.join('')).toContain(`"${'x'.repeat(200)}"`);
  expect(bodies.join('')).not.toContain('secret words');
});

test('a share of 0 traces nothing, and a part without a parent is not traced', async () => {
  const { tracing } = await open({ share: 0 });
  expect(tracing.startTrace('request', { kind: 'server', fields: {} })).toBe(NO_SPAN);
  expect(tracing.startSpan('work', { kind: 'internal', parent: null, fields: {} })).toBe(NO_SPAN);
  expect(tracing.startSpan('work', { kind: 'internal', parent: 'malformed', fields: {} })).toBe(NO_SPAN);
  await tracing.close();
});

test('spans beyond the queue are dropped while the collector does not answer, and closing takes a limited time', async () => {
  const { tracing, bodies, counts } = await open({ answers: false });
  for (let n = 0; n < 10_000; n += 1) tracing.startTrace('request', { kind: 'server', fields: {} }).end();
  const startedMs = performance.now();
  await tracing.close();
  expect(performance.now() - startedMs).toBeLessThan(30_000);
  expect(counts).toMatchObject({ ended: 10_000, sent: 0 });
  const arrived = bodies.flatMap((body) => body.match(/"spanId"/g) ?? []).length;
  expect(arrived).toBeLessThanOrEqual(2_048 + 256);
});
