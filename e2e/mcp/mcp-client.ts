/** A client of the Model Context Protocol over HTTP, for the versions with and without sessions. */
export interface McpClientOptions {
  /** Requests go to these in turn: no process may depend on an earlier request. */
  readonly urls: readonly string[];
  readonly key: string;
  readonly version: '2025-11-25' | '2026-07-28';
  readonly headers?: Readonly<Record<string, string>>;
}

export interface McpMessage {
  readonly id?: number;
  readonly method?: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests check what arrives
  readonly params?: any;
  // biome-ignore lint/suspicious/noExplicitAny: tests check what arrives
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string };
}

const META = 'io.modelcontextprotocol/';

export async function connectMcp(options: McpClientOptions) {
  const isStateless = options.version === '2026-07-28';
  let sessionId: string | null = null;
  let sent = 0;

  async function send(method: string, params: Record<string, unknown>, isNotification = false): Promise<McpMessage[]> {
    sent += 1;
    const described = isStateless
      ? { [`${META}protocolVersion`]: options.version, [`${META}clientCapabilities`]: {} }
      : {};
    const _meta = { ...described, ...(params._meta as object | undefined) };
    const response = await fetch(`${options.urls[sent % options.urls.length]}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${options.key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(method === 'initialize' ? {} : { 'mcp-protocol-version': options.version }),
        ...(sessionId === null ? {} : { 'mcp-session-id': sessionId }),
        ...(isStateless ? { 'mcp-method': method } : {}),
        ...(isStateless && method === 'tools/call' ? { 'mcp-name': String(params.name) } : {}),
        ...options.headers,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        ...(isNotification ? {} : { id: sent }),
        method,
        params: { ...params, ...(Object.keys(_meta).length === 0 ? {} : { _meta }) },
      }),
    });
    sessionId ??= response.headers.get('mcp-session-id');
    const text = await response.text();
    if (isNotification) return [];
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return [JSON.parse(text)];
    return text
      .split('\n')
      .filter((line) => line.startsWith('data: '))
      .map((line) => JSON.parse(line.slice(6)));
  }

  if (!isStateless) {
    const clientInfo = { name: 'e2e', version: '1' };
    await send('initialize', { protocolVersion: options.version, capabilities: {}, clientInfo });
    await send('notifications/initialized', {}, true);
  }

  return {
    send,
    async listTools(): Promise<string[]> {
      const [answer] = await send('tools/list', {});
      return answer?.result.tools.map(({ name }: { name: string }) => name);
    },
    /** The result of a tool, and the progress that was reported before it. */
    async call(name: string, input: object = {}) {
      const messages = await send('tools/call', {
        name,
        arguments: input,
        _meta: { progressToken: `${name}-${sent}` },
      });
      const last = messages.at(-1) as McpMessage;
      if (last.error !== undefined) throw new Error(`${name}: ${last.error.code} ${last.error.message}`);
      const progress = messages.slice(0, -1).map(({ params }) => params.progress as number);
      return { ...last.result, progress };
    },
  };
}

export type McpClient = Awaited<ReturnType<typeof connectMcp>>;
