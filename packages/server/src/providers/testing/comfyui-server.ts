import type { ServerResponse } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import { type Seen, sendJson, startTestServer, type TestServer } from './test-server.ts';

type Graph = Record<string, { class_type: string; inputs: Record<string, unknown> }>;

interface Item {
  readonly id: string;
  readonly clientId: string;
  readonly graph: Graph;
}

export interface ComfyUiServer extends TestServer {
  readonly pending: Item[];
  readonly running: Item[];
  readonly history: Map<string, Record<string, unknown>>;
  readonly uploads: Map<string, Buffer>;
  readonly files: Map<string, Buffer>;
  /** Every prompt that was ever accepted. */
  readonly taken: Item[];
  readonly interrupted: string[];
  /** Starts the first prompt in the queue and reports it. */
  begin(): Item;
  tell(type: string, data: Record<string, unknown>): void;
  finish(outputs: Record<string, unknown>): void;
  fail(message: string, data: Record<string, unknown>): void;
  dropSockets(): void;
  sockets(): number;
  /** History and queue are in memory. */
  restart(): void;
}

const PREVIEW_FRAME = 1;
/** The files in its models folder. */
const CHECKPOINTS = ['model.safetensors', 'sd_xl_base_1.0.safetensors'];

/** A ComfyUI that a test controls step by step: it behaves as version 0.3.64 by default, or as an older one. */
export async function startComfyUiServer(
  options: { version?: string; takesIds?: boolean; key?: string; sockets?: boolean } = {},
): Promise<ComfyUiServer> {
  const { version = '0.3.64', takesIds = true } = options;
  const stops = version.split('.').map(Number)[2]! >= 57;
  const sockets = new Map<string, WebSocket>();
  const state = {
    pending: [] as Item[],
    running: [] as Item[],
    history: new Map<string, Record<string, unknown>>(),
    uploads: new Map<string, Buffer>(),
    files: new Map<string, Buffer>(),
    taken: [] as Item[],
    interrupted: [] as string[],
  };

  function takePrompt(seen: Seen, response: ServerResponse): unknown {
    const { prompt, client_id: clientId, prompt_id: wanted } = seen.json();
    const graph = prompt as Graph;
    const errors = findFaults(graph, state.uploads);
    if (Object.keys(errors).length > 0) {
      const error = {
        type: 'prompt_outputs_failed_validation',
        message: 'Prompt outputs failed validation',
        details: '',
        extra_info: {},
      };
      return sendJson(response, 400, { error, node_errors: errors });
    }
    const id = takesIds && typeof wanted === 'string' ? wanted : `own-${state.taken.length + 1}`;
    const item = { id, clientId: String(clientId), graph };
    state.taken.push(item);
    state.pending.push(item);
    return sendJson(response, 200, { prompt_id: id, number: state.taken.length, node_errors: {} });
  }

  function interrupt(seen: Seen, response: ServerResponse): void {
    const wanted = seen.body.length === 0 ? undefined : seen.json().prompt_id;
    // Older servers ignore the id: they stop whatever runs.
    for (const item of [...state.running]) {
      if (stops && wanted !== undefined && item.id !== wanted) continue;
      state.interrupted.push(item.id);
      end(item, {
        outputs: {},
        status: {
          status_str: 'error',
          completed: false,
          messages: [['execution_interrupted', { prompt_id: item.id }]],
        },
      });
    }
    response.end();
  }

  async function upload(seen: Seen, response: ServerResponse): Promise<void> {
    const form = await seen.form();
    const file = form.get('image') as File;
    const subfolder = String(form.get('subfolder') ?? '');
    state.uploads.set(`${subfolder}/${file.name}`, Buffer.from(await file.arrayBuffer()));
    sendJson(response, 200, { name: file.name, subfolder, type: form.get('type') });
  }

  function end(item: Item, entry: Record<string, unknown>): void {
    state.running.splice(state.running.indexOf(item), 1);
    state.history.set(item.id, { prompt: [1, item.id, item.graph, {}, []], ...entry });
  }

  async function respond(seen: Seen, response: ServerResponse): Promise<unknown> {
    if (options.key !== undefined && seen.headers.authorization !== `Bearer ${options.key}`)
      return sendJson(response, 401, {});
    const rows = (items: Item[]) =>
      items.map((each, index) => [index, each.id, each.graph, { client_id: each.clientId }, []]);
    const call = `${seen.method} ${seen.path}`;
    if (call === 'POST /prompt') return takePrompt(seen, response);
    if (call === 'POST /upload/image') return upload(seen, response);
    if (call === 'POST /interrupt') return interrupt(seen, response);
    if (call === 'GET /queue')
      return sendJson(response, 200, { queue_running: rows(state.running), queue_pending: rows(state.pending) });
    if (call === 'GET /system_stats') return sendJson(response, 200, { system: { comfyui_version: version } });
    if (call === 'POST /queue') {
      const gone = seen.json().delete as string[];
      for (const id of gone) state.pending.splice(0, Infinity, ...state.pending.filter((each) => each.id !== id));
      return response.end();
    }
    if (seen.path.startsWith('/history/')) {
      const id = seen.path.slice('/history/'.length);
      const entry = state.history.get(id);
      return sendJson(response, 200, entry === undefined ? {} : { [id]: entry });
    }
    if (call === 'GET /view') {
      const file = state.files.get(
        `${seen.query.get('type')}/${seen.query.get('subfolder')}/${seen.query.get('filename')}`,
      );
      return file === undefined ? response.writeHead(404).end() : response.end(file);
    }
    return response.writeHead(404).end('404: Not Found');
  }

  const server = await startTestServer(respond);
  const hub = new WebSocketServer({ noServer: true });
  server.server.on('upgrade', (request, socket, head) => {
    const isLet = options.key === undefined || request.headers.authorization === `Bearer ${options.key}`;
    if (options.sockets === false || !isLet) return void socket.destroy();
    hub.handleUpgrade(request, socket, head, (client) => {
      const id = new URL(request.url ?? '', 'http://any').searchParams.get('clientId') ?? '';
      sockets.set(id, client);
      client.on('close', () => sockets.delete(id));
      client.send(JSON.stringify({ type: 'status', data: { status: { exec_info: { queue_remaining: 0 } }, sid: id } }));
    });
  });
  const tellTo = (item: Item | undefined, type: string, data: Record<string, unknown>) =>
    sockets.get(item?.clientId ?? '')?.send(JSON.stringify({ type, data: { prompt_id: item?.id, ...data } }));
  const close = server.close;

  return Object.assign(server, state, {
    begin() {
      const item = state.pending.shift() as Item;
      state.running.push(item);
      tellTo(item, 'execution_start', {});
      const preview = Buffer.alloc(12);
      preview.writeUInt32BE(PREVIEW_FRAME, 0);
      sockets.get(item.clientId)?.send(preview);
      return item;
    },
    tell: (type: string, data: Record<string, unknown>) => tellTo(state.running[0], type, data),
    finish(outputs: Record<string, unknown>) {
      const item = state.running[0] as Item;
      end(item, { outputs, status: { status_str: 'success', completed: true, messages: [] } });
      tellTo(item, 'execution_success', {});
    },
    fail(message: string, data: Record<string, unknown>) {
      const item = state.running[0] as Item;
      end(item, {
        outputs: {},
        status: {
          status_str: 'error',
          completed: false,
          messages: [
            ['execution_start', {}],
            [message, data],
          ],
        },
      });
      tellTo(item, message, data);
    },
    dropSockets() {
      for (const each of sockets.values()) each.terminate();
    },
    sockets: () => sockets.size,
    restart() {
      state.pending.length = 0;
      state.running.length = 0;
      state.history.clear();
    },
    async close() {
      for (const each of sockets.values()) each.terminate();
      hub.close();
      await close();
    },
  });
}

/** Validation as ComfyUI does it: a file must exist, a number be in range, a checkpoint be on the list. */
function findFaults(graph: Graph, uploads: ReadonlyMap<string, Buffer>): Record<string, unknown> {
  const faults: Record<string, unknown> = {};
  const fault = (id: string, type: string, message: string, details: string) => {
    faults[id] = {
      class_type: graph[id]?.class_type,
      dependent_outputs: ['9'],
      errors: [{ type, message, details, extra_info: {} }],
    };
  };
  for (const [id, { class_type: name, inputs }] of Object.entries(graph)) {
    if (name === 'LoadImage' && !uploads.has(String(inputs.image)))
      fault(
        id,
        'custom_validation_failed',
        'Custom validation failed for node',
        `image - Invalid image file: ${inputs.image}`,
      );
    if (name === 'KSampler' && Number(inputs.steps) > 100)
      fault(id, 'value_bigger_than_max', 'Value 1000 bigger than max of 100', 'steps');
    if (name === 'CheckpointLoaderSimple' && !CHECKPOINTS.includes(String(inputs.ckpt_name)))
      fault(
        id,
        'value_not_in_list',
        'Value not in list',
        `ckpt_name: '${inputs.ckpt_name}' not in ['${CHECKPOINTS.join("', '")}']`,
      );
  }
  return faults;
}
