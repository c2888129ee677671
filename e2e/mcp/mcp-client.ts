import { Client, type OAuthClientProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as SessionClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as SessionTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

export interface McpClientOptions {
  /** Requests go to these in turn: no process may depend on an earlier request. */
  readonly urls: readonly string[];
  readonly key: string;
  readonly version: Version;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Version = '2025-11-25' | '2026-07-28';

/** How to reach a server: with headers, or with the sign-in of a person. */
export interface Link {
  readonly requestInit?: RequestInit;
  readonly fetch?: (url: string | URL, init?: RequestInit) => Promise<Response>;
  readonly authProvider?: OAuthClientProvider;
}

const NAME = { name: 'e2e', version: '1.0.0' };

/** What the tests use of the two official clients. Both check the structured content against the schemas of the tools. */
interface OfficialClient {
  connect(): Promise<void>;
  listTools(): Promise<{ tools: { name: string }[] }>;
  // biome-ignore lint/suspicious/noExplicitAny: tests check what arrives
  callTool(name: string, input: object, onprogress: (state: { progress: number }) => void): Promise<any>;
  negotiated(): string | undefined;
  finishAuth(callback: URLSearchParams): Promise<void>;
}

/** Connects an official client of the Model Context Protocol with a key. */
export async function connectMcp({ urls, key, version, headers }: McpClientOptions): Promise<McpClient> {
  let sent = 0;
  const client = openMcp(`${urls[0]}/mcp`, version, {
    requestInit: { headers: { authorization: `Bearer ${key}`, ...headers } },
    fetch(_url, init) {
      sent += 1;
      return fetch(`${urls[sent % urls.length]}/mcp`, init);
    },
  });
  await client.connect();
  return client;
}

/** An official client: its first major version has sessions, its second has none. */
export function openMcp(url: string, version: Version, link: Link) {
  const client = version === '2026-07-28' ? openStateless(url, link) : openSession(url, link);
  return {
    async connect(): Promise<void> {
      await client.connect();
      if (client.negotiated() !== version) throw new Error(`negotiated ${client.negotiated()}`);
    },
    finishAuth: (callback: URLSearchParams) => client.finishAuth(callback),
    async listTools(): Promise<string[]> {
      return (await client.listTools()).tools.map(({ name }) => name);
    },
    /** The result of a tool, and the progress that was reported before it. */
    async call(name: string, input: object = {}) {
      const progress: number[] = [];
      const result = await client.callTool(name, input, (state) => progress.push(state.progress));
      return { ...result, progress };
    },
  };
}

export type McpClient = ReturnType<typeof openMcp>;

function openStateless(url: string, link: Link): OfficialClient {
  const client = new Client(NAME, { versionNegotiation: { mode: 'auto' } });
  const open = () => new StreamableHTTPClientTransport(new URL(url), link);
  let transport = open();
  return {
    async connect() {
      // A transport starts once.
      transport = open();
      await client.connect(transport);
    },
    listTools: () => client.listTools(),
    callTool: (name, input, onprogress) => client.callTool({ name, arguments: { ...input } }, { onprogress }),
    negotiated: () => client.getNegotiatedProtocolVersion(),
    finishAuth: (callback) => transport.finishAuth(callback),
  };
}

function openSession(url: string, link: Link): OfficialClient {
  const client = new SessionClient(NAME);
  const open = () => new SessionTransport(new URL(url), link as ConstructorParameters<typeof SessionTransport>[1]);
  let transport = open();
  return {
    async connect() {
      transport = open();
      // The types of this package do not know exact optional properties.
      await client.connect(transport as Parameters<typeof client.connect>[0]);
    },
    listTools: () => client.listTools(),
    callTool: (name, input, onprogress) =>
      client.callTool({ name, arguments: { ...input } }, undefined, { onprogress }),
    negotiated: () => transport.protocolVersion,
    finishAuth: (callback) => transport.finishAuth(callback.get('code') ?? ''),
  };
}
