import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FAILURE_MESSAGES, type FailureCode, SCOPES } from '@atelier/contract';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openTestDatabase } from '../../../../test/database.ts';
import { createApiKey } from '../domain/accounts/create-api-key.ts';
import type { CatalogModel } from '../domain/catalog/catalog.ts';
import { exportAccount } from '../domain/exports/export-account.ts';
import { showGeneration } from '../domain/generations/read/show-generation.ts';
import { type RunServices, runGeneration } from '../domain/generations/run/run-generation.ts';
import { createMoneyPath } from '../domain/generations/testing/create-money-path.ts';
import { sampleCatalog } from '../domain/generations/testing/create-path-services.ts';
import { loadDeliveries } from '../domain/webhooks/deliveries/load-deliveries.ts';
import { withTx } from '../platform/db.ts';
import { createCogProvider } from '../providers/cog/create-cog-provider.ts';
import { createComfyUiProvider } from '../providers/comfyui/create-comfyui-provider.ts';
import { createFalProvider } from '../providers/fal/create-fal-provider.ts';
import { createOpenAiProvider } from '../providers/openai/create-openai-provider.ts';
import { type Provider, ProviderError } from '../providers/provider.ts';
import type { BackendProvider } from '../providers/remote/backend.ts';
import { oneBackend } from '../providers/testing/remote-job.ts';
import { type Respond, type Seen, sendJson, startTestServer } from '../providers/testing/test-server.ts';
import type { Finding } from '../safety/create-safety.ts';
import { createTestConsole, type TestConsole } from './console/testing/create-test-console.ts';
import { createTestClient } from './mcp/testing/create-test-client.ts';

/** What a backend must never tell a customer: files and machines of the operator. */
const CANARY = 'CANARY /srv/secret/weights.bin on gpu-node-7.internal';
const WORD = 'CANARY';

const database = await openTestDatabase({ connections: 20 });
const { db, owner } = database;
const path = createMoneyPath(database);
const catalogDir = join(import.meta.dirname, '../../../../catalog');

let console_: TestConsole;
let url: string;
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'provider-words-'));
  console_ = await createTestConsole(database);
  url = await console_.publicApp.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await console_.close();
  await rm(dir, { recursive: true, force: true });
});

/** An error in every form that a backend answers with. */
const ERROR = {
  error: { message: CANARY, code: WORD, type: WORD },
  detail: [{ loc: ['body', WORD], msg: CANARY, type: WORD }],
  message: CANARY,
  node_errors: { '2': { class_type: WORD, errors: [{ message: CANARY, details: CANARY }] } },
};
const FAILED = { id: 'r1', status: 'failed', error: CANARY, logs: CANARY };
const MAP = { backend: 'gpu', map: { prompt: 'prompt' } };

interface Protocol {
  readonly provider: string;
  readonly create: (backends: ReturnType<typeof oneBackend>) => Provider;
  readonly route: Record<string, unknown>;
  /** Accepts the run and fails it later. */
  readonly failsLater: Respond;
}

const promptId = ({ path: asked }: Seen) => asked.split('/').at(-1) as string;
const protocols: Record<BackendProvider, Protocol> = {
  openai: {
    provider: 'openai',
    create: (backends) => createOpenAiProvider({ backends }),
    route: { ...MAP, operation: 'videos' },
    failsLater: ({ method }, response) =>
      sendJson(response, 200, method === 'POST' ? { id: 'v1' } : { ...FAILED, error: ERROR.error }),
  },
  comfyui: {
    provider: 'comfyui',
    create: (backends) => createComfyUiProvider({ backends, workflowDir: catalogDir }),
    route: { backend: 'gpu', workflow: 'workflows/sdxl-text-to-image.json', bind: { prompt: '2.inputs.text' } },
    failsLater: failComfyUi(),
  },
  cog: {
    provider: 'cog',
    create: (backends) => createCogProvider({ backends }),
    route: MAP,
    failsLater: (_seen, response) => sendJson(response, 200, FAILED),
  },
  replicate: {
    provider: 'cog',
    create: (backends) => createCogProvider({ backends }),
    route: { ...MAP, model: 'a/b', waitSeconds: 0 },
    failsLater: ({ method }, response) =>
      sendJson(response, 200, method === 'POST' ? { id: 'r1', status: 'starting' } : FAILED),
  },
  fal: {
    provider: 'fal',
    create: (backends) => createFalProvider({ backends }),
    route: { ...MAP, model: 'a/b' },
    failsLater: ({ method, path: asked }, response) => {
      if (method === 'POST') return sendJson(response, 200, { request_id: 'r1' });
      return asked.endsWith('/status')
        ? sendJson(response, 200, { status: 'COMPLETED', logs: [{ message: CANARY }] })
        : sendJson(response, 422, ERROR);
    },
  },
};

/** Knows a prompt only after it was sent, and then as failed. */
function failComfyUi(): Respond {
  let isSent = false;
  return (seen, response) => {
    if (seen.method === 'POST') {
      isSent = true;
      return sendJson(response, 200, { prompt_id: seen.json().prompt_id });
    }
    if (!isSent || !seen.path.startsWith('/history/')) return sendJson(response, 200, {});
    const details = { node_type: WORD, exception_type: WORD, exception_message: CANARY };
    const status = { status_str: 'error', messages: [['execution_error', details]] };
    return sendJson(response, 200, { [promptId(seen)]: { status, outputs: {} } });
  };
}

interface Source {
  readonly title: string;
  /** A provider under its name, the route to it, and what a moderation check finds. */
  start(): Promise<{ name: string; provider: Provider; route: object; finding?: Finding; close(): Promise<void> }>;
}

function remote(title: string, { provider: name, create, route }: Protocol, as: string, respond: Respond): Source {
  return {
    title,
    async start() {
      const server = await startTestServer(respond);
      const backends = oneBackend({ provider: as, url: server.url, retries: 0, timeouts: { awayMs: 0 } });
      const close = async () => {
        await backends.close();
        await server.close();
      };
      return { name, provider: create(backends), route, close };
    },
  };
}

/** Inside this process: an engine that refuses, and a check that finds something. */
function own(title: string, submit: Provider['submit'], finding?: Finding): Source {
  const provider: Provider = { submit, poll: () => Promise.reject(new Error('never')) };
  return {
    title,
    start: async () => ({
      name: 'local',
      provider,
      route: { engine: 'any' },
      ...(finding && { finding }),
      close: async () => {},
    }),
  };
}

const refuses = (status: number): Respond => {
  return ({ method }, response) => (method === 'GET' ? sendJson(response, 200, {}) : sendJson(response, status, ERROR));
};
const blocked = { action: 'block', stage: 'prompt', category: WORD, score: 1, engine: WORD } as unknown as Finding;

const sources: Source[] = [
  ...Object.entries(protocols).flatMap(([as, protocol]) => [
    // ComfyUI explains a graph that it rejects with 400.
    remote(`${as}: a refusal`, protocol, as, refuses(as === 'comfyui' ? 400 : 422)),
    remote(`${as}: a run that fails later`, protocol, as, protocol.failsLater),
  ]),
  own('a local engine', () => Promise.reject(new ProviderError('invalid_input', `Cannot draw: ${CANARY}.`))),
  own('an error of the worker', () => Promise.reject(new Error(CANARY))),
  own('a moderation check', () => Promise.reject(new Error('not reached')), blocked),
];

/** Runs the newest generation of the account as a worker does. */
async function work(accountId: string, source: Awaited<ReturnType<Source['start']>>): Promise<string> {
  const id = await vi.waitFor(
    async () => {
      const [found] = await path.read<{ id: string }>(
        `SELECT id FROM generation WHERE account_id = $1 AND status = 'queued'`,
        [accountId],
      );
      if (found === undefined) throw new Error('no generation was submitted');
      return found.id;
    },
    { timeout: 30_000 },
  );
  const run = { ...(await path.take(id))!, mode: 'live' as const };
  const canvas = sampleCatalog(7).models.get('canvas') as CatalogModel;
  const routes = [{ provider: source.name, settings: source.route as Record<string, unknown> }];
  const services = {
    ...console_.services,
    catalog: () => ({ ...sampleCatalog(7), models: new Map([['canvas', { ...canvas, routes }]]) }),
    spoolDir: dir,
    keyPrefix: '',
  } as unknown as RunServices;
  await runGeneration(services, run, {
    providers: new Map([[source.name, source.provider]]),
    contentCheck: { checkPrompt: async () => source.finding ?? null, checkFiles: async () => null },
    leaseSignal: new AbortController().signal,
  });
  return id;
}

/** Opens the stream of events, which then can be read until it has told of a generation. */
async function openStream(headers: Record<string, string>): Promise<(id: string) => Promise<string>> {
  const answer = await fetch(`${url}/v1/events/stream`, { headers, signal: AbortSignal.timeout(60_000) });
  return async (id) => {
    let text = '';
    for await (const piece of answer.body!.pipeThrough(new TextDecoderStream())) {
      text += piece;
      if (text.includes('event: generation.failed') && text.includes(id)) break;
    }
    return text;
  };
}

async function exportOf(accountId: string): Promise<string> {
  const lines: string[] = [];
  await exportAccount(
    { db, store: undefined as never },
    {
      accountId,
      sink: {
        async writeLines(_name, given) {
          for await (const line of given) lines.push(line);
          return { lines: lines.length };
        },
        writeFile: async () => {},
      },
    },
  );
  return lines.join('\n');
}

test.each(sources)("the words of $title reach the operator and no customer's answer", async (source) => {
  const { accountId } = await path.makeAccount({ coins: 1_000 });
  const { key } = await withTx(db, (tx) =>
    createApiKey(tx, 'c1', { accountId, name: 'test', scopes: SCOPES, requestCap: 100 }),
  );
  const headers = { authorization: `Bearer ${key}` };
  const read = async (place: string) => (await console_.publicApp.inject({ url: place, headers })).payload;
  const readStream = await openStream(headers);
  await path.addEndpoint({ accountId, keyId: '' });
  const started = await source.start();
  const [openai, id] = await Promise.all([
    console_.publicApp.inject({
      method: 'POST',
      url: '/openai/v1/images/generations',
      headers,
      payload: { model: 'canvas', prompt: 'a boat', response_format: 'url' },
    }),
    work(accountId, started),
  ]);
  await started.close();

  const shown = await showGeneration({ db: owner }, id);
  expect(shown?.generation.status).toBe('failed');
  // Otherwise the search below would prove nothing.
  expect(shown?.providerMessage).toContain(WORD);

  const deliveries = await path.read<{ id: string }>('SELECT id FROM delivery WHERE account_id = $1', [accountId]);
  const loaded = await loadDeliveries(
    console_.services,
    deliveries.map((each) => each.id),
  );
  const mcp = await createTestClient({ app: console_.publicApp, key, version: '2025-11-25' }).connect();
  // First: what the stream has told, the list has too.
  const stream = await readStream(id);
  const answers: Record<string, string> = {
    stream,
    generation: await read(`/v1/generations/${id}`),
    list: await read('/v1/generations'),
    events: await read('/v1/events'),
    webhook: [...loaded.values()].map(({ message }) => String(message?.body)).join('\n'),
    openai: openai.payload,
    mcp: JSON.stringify(await mcp.call('get_generation', { id })),
    export: await exportOf(accountId),
  };
  const code = shown?.generation.errorCode as FailureCode;
  for (const [name, text] of Object.entries(answers)) {
    expect(text, name).toContain(id);
    expect(text, name).not.toContain(WORD);
    expect(text, name).not.toContain('gpu-node-7');
    const sentence = FAILURE_MESSAGES[code];
    if (name !== 'export') expect(text, name).toContain(sentence.replace(/\.$/, ''));
  }
});
