import { Writable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { afterEach, expect, test, vi } from 'vitest';
import { createLog } from '../../platform/log.ts';
import { createTelemetry } from '../../platform/telemetry.ts';
import { NO_SPAN, type SpanFields, type Tracing } from '../../platform/tracing.ts';
import { createHttpServer } from './create-http-server.ts';

interface Recorded {
  readonly name: string;
  readonly continues: string | undefined;
  fields: SpanFields;
  errorType?: string | undefined;
  ended: boolean;
}

/** Keeps what it is told. */
function recordTraces(share = 1) {
  const spans: Recorded[] = [];
  const tracing: Tracing = {
    enabled: true,
    startTrace(name, { fields, continues }) {
      if (share === 0) return NO_SPAN;
      const span: Recorded = { name, continues, fields, ended: false };
      spans.push(span);
      return {
        traceId: 'trace',
        traceparent: '00-trace-span-01',
        set: (more) => {
          span.fields = { ...span.fields, ...more };
        },
        end: (outcome) => Object.assign(span, { ended: true, errorType: outcome?.errorType }),
      };
    },
    startSpan: () => NO_SPAN,
    close: async () => {},
  };
  return { spans, tracing };
}

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
let app: FastifyInstance;
afterEach(() => app.close());

async function serve(tracing: Tracing) {
  const lines: Array<Record<string, unknown>> = [];
  const destination = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)));
      done();
    },
  });
  app = await createHttpServer({
    services: { log: createLog({ level: 'info', destination }), telemetry: createTelemetry(), tracing },
    problemBaseUrl: 'http://127.0.0.1/problems',
    trustedProxies: ['127.0.0.1/32'],
    accessLogShare: 1,
    paths: [
      { method: 'GET', path: '/v1/account' },
      { method: 'GET', path: '/healthz' },
    ],
  });
  app.get('/healthz', async () => 'ok');
  app.get('/v1/account', { config: { operation: 'getAccount' } }, async (request) => {
    if ('fail' in (request.query as object)) throw new Error('a private message');
    return { traceparent: request.span?.traceparent ?? null };
  });
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    lines,
    get: (path: string, headers: Record<string, string> = {}) => fetch(`${address}${path}`, { headers }),
  };
}

test('a request to an operation is traced until its response has ended, and its log line has the trace id', async () => {
  const { spans, tracing } = recordTraces();
  const { get, lines } = await serve(tracing);
  expect(await (await get('/v1/account')).json()).toEqual({ traceparent: '00-trace-span-01' });
  await vi.waitFor(() => expect(spans[0]?.ended).toBe(true));
  expect(spans).toMatchObject([
    { name: 'getAccount', fields: { operation: 'getAccount', method: 'GET', status: 200 }, errorType: undefined },
  ]);
  await vi.waitFor(() => expect(lines).toContainEqual(expect.objectContaining({ msg: 'request', traceId: 'trace' })));
});

test('health checks and requests that are left out are not traced', async () => {
  const { spans, tracing } = recordTraces();
  const { get } = await serve(tracing);
  await get('/healthz');
  await get('/v1/unknown');
  expect(spans).toEqual([]);
  await app.close();
  const left = recordTraces(0);
  expect(await (await (await serve(left.tracing)).get('/v1/account')).json()).toEqual({ traceparent: null });
});

test('a failed request says its problem code and not the message', async () => {
  const { spans, tracing } = recordTraces();
  const { get } = await serve(tracing);
  expect((await get('/v1/account?fail')).status).toBe(500);
  await vi.waitFor(() => expect(spans[0]?.ended).toBe(true));
  expect(spans[0]).toMatchObject({ errorType: 'internal', fields: { status: 500, problemCode: 'internal' } });
  expect(JSON.stringify(spans)).not.toContain('private');
});

test('only the trace of a trusted proxy is continued', async () => {
  const { spans, tracing } = recordTraces();
  const { get } = await serve(tracing);
  await get('/v1/account', { traceparent: TRACEPARENT });
  await get('/v1/account', { traceparent: TRACEPARENT, 'x-forwarded-for': '203.0.113.9' });
  expect(spans.map(({ continues }) => continues)).toEqual([undefined, TRACEPARENT]);
});
