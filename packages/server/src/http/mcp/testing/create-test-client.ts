import type { FastifyInstance } from 'fastify';

export interface TestClientOptions {
  readonly app: FastifyInstance;
  readonly key: string;
  /** 2026-07-28 and unknown versions send no `initialize`. */
  readonly version: string;
  readonly sessionId?: string;
  /** Headers of the client's configuration. */
  readonly headers?: Readonly<Record<string, string>>;
}

const SESSION_VERSIONS = ['2025-11-25', '2025-06-18'];
const META = 'io.modelcontextprotocol/';

// Tests check the results, so their type is open.
export interface TestAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly result?: any;
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly error?: any;
  /** Messages before the response. */
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly notifications: readonly any[];
}

export interface TestClient {
  send(
    method: string,
    params?: Readonly<Record<string, unknown>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<TestAnswer>;
  sessionId(): string;
  /** Opens the session, if the version has one. */
  connect(): Promise<TestClient>;
  /** The result of a tool. */
  // biome-ignore lint/suspicious/noExplicitAny: see above
  call(name: string, input?: object): Promise<any>;
}

/** A client of the protocol that shows what the server sends. */
export function createTestClient(options: TestClientOptions): TestClient {
  const { app, key, version } = options;
  const isSession = SESSION_VERSIONS.includes(version);
  let sessionId = options.sessionId;
  let lastId = 0;

  async function send(
    method: string,
    params: Readonly<Record<string, unknown>> = {},
    headers: Readonly<Record<string, string>> = describe(method, params),
  ): Promise<TestAnswer> {
    lastId += 1;
    const meta = isSession
      ? {}
      : {
          [`${META}protocolVersion`]: version,
          [`${META}clientCapabilities`]: {},
          [`${META}clientInfo`]: { name: 'test', version: '1' },
        };
    const given = params._meta as object | undefined;
    const answer = await app.inject({
      method: 'POST',
      url: '/mcp',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...options.headers,
        ...headers,
      },
      payload: JSON.stringify({
        jsonrpc: '2.0',
        id: lastId,
        method,
        params: { ...params, ...(isSession && given === undefined ? {} : { _meta: { ...meta, ...given } }) },
      }),
    });
    const issued = answer.headers['mcp-session-id'];
    if (typeof issued === 'string') sessionId = issued;
    return readAnswer(answer.statusCode, answer.payload);
  }

  const describe = (method: string, params: Readonly<Record<string, unknown>>): Record<string, string> =>
    isSession
      ? { 'mcp-protocol-version': version, ...(sessionId === undefined ? {} : { 'mcp-session-id': sessionId }) }
      : {
          'mcp-protocol-version': version,
          'mcp-method': method,
          ...(method === 'tools/call' ? { 'mcp-name': String(params.name) } : {}),
        };

  const client: TestClient = {
    send,
    sessionId: () => sessionId as string,
    async connect() {
      if (isSession) {
        const { result } = await send('initialize', {
          protocolVersion: version,
          capabilities: {},
          clientInfo: { name: 'test', version: '1' },
        });
        if (result?.protocolVersion !== version) throw new Error('the server chose another version');
      }
      return client;
    },
    async call(name, input = {}) {
      const { result, error } = await send('tools/call', { name, arguments: input });
      if (error !== undefined) throw new Error(JSON.stringify(error));
      return result;
    },
  };
  return client;
}

/** A response is JSON, or a stream of events whose last one is the response. */
function readAnswer(status: number, payload: string): TestAnswer {
  if (!payload.startsWith('event:') && !payload.startsWith(':')) {
    const { result, error } = payload === '' ? {} : JSON.parse(payload);
    return { status, result, error, notifications: [] };
  }
  const messages = payload
    .split('\n\n')
    .flatMap((event) => event.split('\n').filter((line) => line.startsWith('data: ')))
    .map((line) => JSON.parse(line.slice(6)));
  const { result, error } = messages.at(-1);
  return { status, result, error, notifications: messages.slice(0, -1) };
}
