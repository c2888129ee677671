import { type Seen, sendJson, startTestServer, type TestServer } from './test-server.ts';

export interface ReplicateServer extends TestServer {
  /** The states of each prediction, one per poll; the last is repeated. */
  states: Record<string, unknown>[];
  readonly created: { path: string; prefer: string | undefined; body: Record<string, unknown> }[];
  readonly canceled: string[];
  readonly uploads: Buffer[];
}

/** Replicate's predictions, with its files beside them. */
export async function startReplicateServer({ key }: { key: string }): Promise<ReplicateServer> {
  const created: ReplicateServer['created'] = [];
  const canceled: string[] = [];
  const uploads: Buffer[] = [];
  const asked = new Map<string, number>();

  async function respond(seen: Seen, response: Parameters<typeof sendJson>[0]): Promise<unknown> {
    if (seen.path.startsWith('/delivery/')) return response.end(Buffer.from(`file ${seen.path}`));
    if (seen.headers.authorization !== `Bearer ${key}`)
      return sendJson(response, 401, {
        title: 'Unauthenticated',
        detail: 'You did not pass a valid authentication token',
        status: 401,
      });
    const path = seen.path.replace(/^\/v1/, '');
    if (path === '/account') return sendJson(response, 200, { type: 'user' });
    if (path === '/files') {
      uploads.push(Buffer.from(await ((await seen.form()).get('content') as File).arrayBuffer()));
      return sendJson(response, 201, {
        id: `f${uploads.length}`,
        urls: { get: `${server.url}/v1/files/f${uploads.length}` },
      });
    }
    if (seen.method === 'POST' && /^(\/models\/[^/]+\/[^/]+)?\/predictions$/.test(path)) {
      const id = `p${created.length + 1}`;
      created.push({ path, prefer: seen.headers.prefer as string | undefined, body: seen.json() });
      asked.set(id, 0);
      return sendJson(response, 201, { id, status: 'starting', urls: { get: `${server.url}/v1/predictions/${id}` } });
    }
    const [, id, cancel] = /^\/predictions\/([^/]+)(\/cancel)?$/.exec(path) ?? [];
    const times = asked.get(id ?? '');
    if (id === undefined || times === undefined)
      return sendJson(response, 404, { detail: 'The requested resource could not be found.' });
    if (cancel !== undefined) {
      canceled.push(id);
      return sendJson(response, 200, { id, status: 'canceled' });
    }
    asked.set(id, times + 1);
    return sendJson(response, 200, {
      id,
      logs: '',
      error: null,
      output: null,
      ...(server.states[Math.min(times, server.states.length - 1)] ?? {}),
    });
  }

  const started = await startTestServer(respond);
  const server: ReplicateServer = Object.assign(started, { states: [], created, canceled, uploads });
  return server;
}
