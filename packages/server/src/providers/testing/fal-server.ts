import { type Seen, sendJson, startTestServer, type TestServer } from './test-server.ts';

export interface FalServer extends TestServer {
  /** How many polls see a run in progress before it is COMPLETED. */
  polls: number;
  /** What the result call answers: COMPLETED does not mean success. */
  result: { status: number; body: unknown; headers?: Record<string, string> };
  readonly runs: { path: string; input: Record<string, unknown> }[];
  readonly canceled: string[];
}

/** fal's queue. Status, result and cancel are under `owner/app` alone, without the path that was called. */
export async function startFalServer({ key }: { key: string }): Promise<FalServer> {
  const runs: FalServer['runs'] = [];
  const canceled: string[] = [];
  const asked = new Map<string, number>();

  function respond(seen: Seen, response: Parameters<typeof sendJson>[0]): unknown {
    if (seen.path.startsWith('/delivery/')) return response.end(`file ${seen.path}`);
    if (seen.headers.authorization !== `Key ${key}`)
      return sendJson(response, 401, { detail: 'Cannot access application' });
    const [, owner, app, id, action] =
      /^\/((?:workflows\/|comfy\/)?[\w-]+)\/([\w-]+)\/requests\/([\w-]+)(\/status|\/cancel)?$/.exec(seen.path) ?? [];
    if (seen.method === 'POST') {
      const [, first, second] = /^\/((?:workflows\/|comfy\/)?[\w-]+)\/([\w-]+)/.exec(seen.path) ?? [];
      const request = `r${runs.length + 1}`;
      runs.push({ path: seen.path, input: seen.json() });
      asked.set(`${first}/${second}/${request}`, 0);
      const place = `${server.url}/${first}/${second}/requests/${request}`;
      return sendJson(response, 200, {
        request_id: request,
        response_url: place,
        status_url: `${place}/status`,
        cancel_url: `${place}/cancel`,
        queue_position: 0,
      });
    }
    const times = asked.get(`${owner}/${app}/${id}`);
    if (times === undefined) return sendJson(response, 404, { detail: 'Request not found' });
    if (action === '/cancel') {
      canceled.push(String(id));
      return sendJson(response, seen.method === 'PUT' ? 202 : 405, { status: 'CANCELLATION_REQUESTED' });
    }
    if (action === '/status') {
      asked.set(`${owner}/${app}/${id}`, times + 1);
      if (times === 0) return sendJson(response, 202, { status: 'IN_QUEUE', queue_position: 3 });
      if (times <= server.polls)
        return sendJson(response, 202, { status: 'IN_PROGRESS', logs: [{ message: 'step 5/10 50%' }] });
      return sendJson(response, 200, { status: 'COMPLETED', logs: [] });
    }
    const { status, body, headers } = server.result;
    return sendJson(response, status, body, headers);
  }

  const started = await startTestServer(respond);
  const server: FalServer = Object.assign(started, { polls: 1, result: { status: 200, body: {} }, runs, canceled });
  return server;
}
