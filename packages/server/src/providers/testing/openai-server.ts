import type { ServerResponse } from 'node:http';
import { pictureBytes } from './remote-job.ts';
import { type Seen, sendJson, startTestServer, type TestServer } from './test-server.ts';

type Dialect = 'openai' | 'sglang' | 'vllm-omni' | 'sd-cpp' | 'localai';

export interface OpenAiServer extends TestServer {
  /** What the model got, after the server parsed its own dialect. */
  readonly runs: Record<string, unknown>[];
  /** How many polls see a video in progress before it is done. */
  videoPolls: number;
  videoError: Record<string, unknown> | null;
  readonly videos: Map<string, number>;
  /** Links instead of bytes, as DALL-E returns by default. */
  links: boolean;
  forgetVideos(): void;
}

const OPENAI_FIELDS = new Set([
  'prompt',
  'model',
  'n',
  'size',
  'quality',
  'background',
  'output_format',
  'response_format',
  'user',
  'image',
  'image[]',
  'mask',
]);

/** A server with OpenAI's routes and the differences of each dialect. */
export async function startOpenAiServer(options: { dialect: Dialect; key?: string }): Promise<OpenAiServer> {
  const { dialect } = options;
  const runs: Record<string, unknown>[] = [];
  const videos = new Map<string, number>();

  async function pictures(fields: Record<string, unknown>, response: ServerResponse): Promise<void> {
    const { prompt, n, response_format: format } = fields;
    const count = Number(n ?? 1);
    if (dialect === 'openai') {
      const stranger = Object.keys(fields).find((each) => !OPENAI_FIELDS.has(each));
      if (stranger !== undefined)
        return openAiError(response, { message: `Unknown parameter: '${stranger}'.`, code: 'unknown_parameter' });
      if (String(prompt).includes('forbidden'))
        return openAiError(response, {
          message: 'Your request was rejected by the safety system.',
          code: 'moderation_blocked',
          type: 'image_generation_user_error',
        });
      if (String(prompt).includes('old filter'))
        return openAiError(response, { message: 'Your request was rejected.', code: 'content_policy_violation' });
    } else if (format !== 'b64_json') {
      return sendJson(response, 400, { detail: `response_format=${String(format ?? 'url')} is not supported` });
    }
    if (prompt === undefined)
      return sendJson(response, 422, { detail: [{ type: 'missing', loc: ['body', 'prompt'], msg: 'Field required' }] });
    runs.push(readDialect(dialect, fields));
    const data = [];
    for (let index = 0; index < count; index += 1) {
      const bytes = await pictureBytes(`#${String(index + 1).repeat(6)}`);
      data.push(
        server.links
          ? { url: `${server.url}/files/${index}.png` }
          : { b64_json: bytes.toString('base64'), revised_prompt: 'as it was' },
      );
    }
    sendJson(response, 200, { created: 1, data });
  }

  async function makeVideo(seen: Seen, response: ServerResponse): Promise<void> {
    const isForm = String(seen.headers['content-type']).startsWith('multipart/form-data');
    if (dialect === 'vllm-omni' && !isForm)
      return sendJson(response, 422, { detail: [{ type: 'missing', loc: ['body', 'prompt'], msg: 'Field required' }] });
    runs.push(isForm ? Object.fromEntries(await seen.form()) : seen.json());
    const id = `video_${videos.size + 1}`;
    videos.set(id, 0);
    sendJson(response, 200, { id, object: 'video', status: 'queued', progress: 0 });
  }

  function showVideo(id: string): Record<string, unknown> {
    const polls = (videos.get(id) ?? 0) + 1;
    videos.set(id, polls);
    if (polls <= server.videoPolls) return { id, object: 'video', status: 'in_progress', progress: 40 };
    if (server.videoError !== null)
      return { id, object: 'video', status: 'failed', progress: 40, error: server.videoError };
    return { id, object: 'video', status: 'completed', progress: 100 };
  }

  async function respond(seen: Seen, response: ServerResponse): Promise<void> {
    const path = seen.path.replace(/^\/v1/, '');
    if (path.startsWith('/files/')) return void response.end(await pictureBytes());
    if (options.key !== undefined && seen.headers.authorization !== `Bearer ${options.key}`)
      return sendJson(response, 401, {
        error: { message: `Incorrect API key provided: ${seen.headers.authorization}`, code: 'invalid_api_key' },
      });
    if (path === '/models') return sendJson(response, 200, { object: 'list', data: [] });
    if (path === '/images/generations') return pictures(seen.json(), response);
    if (path === '/images/edits') return pictures(await readForm(seen), response);
    if (path === '/audio/speech') {
      runs.push(seen.json());
      return void response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(Buffer.from('ID3 sound'));
    }
    if (path === '/audio/transcriptions') return transcript(await readForm(seen), response);
    if (path === '/videos' && seen.method === 'POST') return makeVideo(seen, response);
    // As in SGLang's documentation: the list reports the state of a video.
    if (path === '/videos') return sendJson(response, 200, { data: [...videos.keys()].map(showVideo) });
    const [, id, content] = /^\/videos\/([^/]+)(\/content)?$/.exec(path) ?? [];
    if (id === undefined || !videos.has(id) || (dialect === 'sglang' && content === undefined && seen.method === 'GET'))
      return sendJson(response, 404, { detail: 'Not Found' });
    if (content !== undefined)
      return void response.writeHead(200, { 'content-type': 'video/mp4' }).end(Buffer.from(`film ${id}`));
    if (seen.method === 'DELETE') {
      videos.delete(id);
      return sendJson(response, 200, { id, deleted: true });
    }
    sendJson(response, 200, showVideo(id));
  }

  function transcript(fields: Record<string, unknown>, response: ServerResponse): void {
    runs.push(fields);
    const text = 'One two. Three < four.';
    const segments = [
      { id: 0, start: 0, end: 1.5, text: ' One two.' },
      { id: 1, start: 1.5, end: 3_661.25, text: ' Three < four.' },
    ];
    const verbose = { task: 'transcribe', language: 'english', duration: 3, text, segments };
    sendJson(response, 200, fields.response_format === 'verbose_json' ? verbose : { text });
  }

  const started = await startTestServer(respond);
  const server: OpenAiServer = Object.assign(started, {
    runs,
    videos,
    videoPolls: 2,
    videoError: null,
    links: false,
    forgetVideos: () => videos.clear(),
  });
  return server;
}

function openAiError(response: ServerResponse, error: { message: string; code: string; type?: string }): void {
  sendJson(response, 400, { error: { type: 'invalid_request_error', param: null, ...error } });
}

async function readForm(seen: Seen): Promise<Record<string, unknown>> {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of await seen.form()) {
    const kept =
      typeof value === 'string'
        ? value
        : { name: value.name, type: value.type, bytes: Buffer.from(await value.arrayBuffer()) };
    fields[name] = name in fields ? [fields[name], kept].flat() : kept;
  }
  return fields;
}

/** How the server interprets the prompt. */
function readDialect(dialect: Dialect, fields: Record<string, unknown>): Record<string, unknown> {
  const prompt = String(fields.prompt);
  if (dialect === 'sd-cpp') {
    const extras = /<sd_cpp_extra_args>([\s\S]*?)<\/sd_cpp_extra_args>/.exec(prompt);
    const parsed = extras?.[1] === undefined ? {} : JSON.parse(extras[1]);
    return { ...fields, ...parsed, prompt: prompt.replace(extras?.[0] ?? '', '') };
  }
  if (dialect === 'localai') {
    const [positive, negative] = prompt.split('|');
    return { ...fields, prompt: positive, ...(negative === undefined ? {} : { negative_prompt: negative }) };
  }
  return fields;
}
