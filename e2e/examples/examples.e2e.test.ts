import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { createAtelier } from '@atelier/ai-sdk-provider';
import { Atelier, MaxCoinsExceededError } from '@atelier/sdk';
import { generateImage, generateSpeech, transcribe } from 'ai';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { makeFile, makeFolder } from '../files/make-file.ts';
import { makeAccount, type TestAccount } from '../harness/account.ts';
import { until } from '../harness/client.ts';
import { type Stack, startStack } from '../harness/start-stack.ts';
import { startWebServer } from '../sdk/web-server.ts';
import { makeEndpoint } from '../webhooks/make-endpoint.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const EXAMPLES = join(ROOT, 'examples');
const COINS = 1_000;
const PRICE = 7;
const TIMEOUT_MS = 120_000;
const VENV_TIMEOUT_MS = 300_000;
const run = promisify(execFile);

let stack: Stack;
let folder: Awaited<ReturnType<typeof makeFolder>>;

beforeAll(async () => {
  globalThis.AI_SDK_LOG_WARNINGS = false;
  folder = await makeFolder();
  stack = await startStack({ services: inject('services'), cdns: 1 });
});
afterAll(async () => {
  await stack?.stop();
  await folder?.remove();
});

async function makeUser() {
  const account = await makeAccount(stack, { coins: COINS, runLimit: 2 });
  const client = new Atelier({ baseUrl: stack.api().url, apiKey: account.key });
  const spent = async () => {
    const { balance } = await client.account.get();
    return COINS - balance.available - balance.held;
  };
  return { account, client, spent, env: envOf(account) };
}

const envOf = ({ key }: TestAccount) => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  ATELIER_BASE_URL: stack.api().url,
  ATELIER_API_KEY: key,
});

test('ai-sdk-image: writes the pictures and says what they cost', async () => {
  const { env, spent } = await makeUser();
  const program = join(EXAMPLES, 'ai-sdk-image/generate-image.ts');
  const { stdout } = await run(process.execPath, [program, 'a lake', 'lake'], { env, cwd: folder.dir });
  expect(stdout).toBe(`lake-1.png\nlake-2.png\n${2 * PRICE} coins\n`);
  expect((await readFile(join(folder.dir, 'lake-2.png'))).subarray(1, 4).toString()).toBe('PNG');
  expect(await spent()).toBe(2 * PRICE);
});

test('mcp-agent: writes the picture at the quoted price, and stops at its budget', async () => {
  const { env, spent } = await makeUser();
  const start = (prompt: string, file: string) => {
    const args = [join(EXAMPLES, 'mcp-agent/make-picture.ts'), prompt, file];
    return collect(spawn(process.execPath, args, { env, cwd: folder.dir, timeout: TIMEOUT_MS })).ended;
  };
  const first = await start('a lake', 'agent.png');
  expect(first).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining(`${PRICE} coins\n`) });
  expect(first.stdout).toContain('succeeded: agent.png\n');
  expect((await readFile(join(folder.dir, 'agent.png'))).subarray(1, 4).toString()).toBe('PNG');
  expect(await spent()).toBe(PRICE);
  expect(await start('a hill', 'hill.png')).toMatchObject({ code: 0 });
  const refused = await start('a river', 'river.png');
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('6 of the 20 coins that this key may spend today'),
  });
  expect(await spent()).toBe(2 * PRICE);
});

test('the AI SDK edits, speaks, transcribes, and is refused above its limit', async () => {
  const { account, spent } = await makeUser();
  const atelier = createAtelier({ baseUrl: stack.api().url, apiKey: account.key, maxCoins: 200 });
  const photo = await readFile(await makeFile(folder.dir, 'png'));
  const { image } = await generateImage({
    model: atelier.image('real-esrgan-x2'),
    prompt: { images: [photo] },
    providerOptions: { atelier: { params: { upscale_factor: 2 } } },
  });
  expect(image.uint8Array.length).toBeGreaterThan(0);
  const { audio } = await generateSpeech({ model: atelier.speech('voice'), text: 'Hello there', voice: 'alba' });
  const { text, segments } = await transcribe({ model: atelier.transcription('scribe'), audio: audio.uint8Array });
  expect(text).not.toBe('');
  expect(segments.length).toBeGreaterThan(0);
  const before = await spent();
  const options = { providerOptions: { atelier: { maxCoins: 1 } } };
  const refused = await generateImage({ model: atelier.image('canvas'), prompt: 'x', ...options }).catch((e) => e);
  expect(refused.cause).toBeInstanceOf(MaxCoinsExceededError);
  expect(await spent()).toBe(before);
});

test('webhook-receiver: handles a real event once, however often it arrives, and refuses forgeries', async () => {
  const { account, client } = await makeUser();
  const records = join(folder.dir, 'records');
  vi.stubEnv('RECORDS_DIR', records);
  const { POST } = await import('../../examples/webhook-receiver/app/api/atelier/route.ts');
  const deliveries: Request[] = [];
  await using site = await startWebServer((request) => {
    deliveries.push(request.clone());
    return POST(request);
  });
  const url = `${site.url}/api/atelier`;
  vi.stubEnv('ATELIER_WEBHOOK_SECRET', (await makeEndpoint(stack, { accountId: account.accountId, url })).secret);
  try {
    const { id } = await client.generations.run({ modelId: 'canvas', params: { prompt: 'x' }, maxCoins: PRICE });
    await until('the event is recorded', async () => (await readdir(records).catch(() => [])).length === 1);
    const again = await Promise.all([0, 1].map(() => POST(deliveries[0]!.clone())));
    expect(again.map(({ status }) => status)).toEqual([204, 204]);
    const names = await readdir(records);
    expect(names).toHaveLength(1);
    const record = JSON.parse(await readFile(join(records, names[0]!), 'utf8'));
    expect(record).toMatchObject({ generationId: id, status: 'succeeded', files: [expect.any(String)] });
    const { headers } = deliveries[0]!;
    expect((await POST(new Request(url, { method: 'POST', body: '{"id":"forged"}', headers }))).status).toBe(400);
    expect(await readdir(records)).toEqual(names);
  } finally {
    vi.unstubAllEnvs();
  }
});

test('batch-with-budget: spends nothing above the budget, and continues after a crash without paying twice', async () => {
  const { client, spent, env } = await makeUser();
  const prompts = join(folder.dir, 'prompts.txt');
  const out = join(folder.dir, 'pictures');
  await writeFile(prompts, ['a lake', 'sim:ok:1000', 'sim:fail:timeout', 'sim:ok:1000', 'a hill'].join('\n'));
  const args = (budget: number) => [
    join(EXAMPLES, 'batch-with-budget/run-batch.ts'),
    ...['--prompts', prompts, '--out', out, '--budget', String(budget)],
  ];
  const start = (budget: number) => collect(spawn(process.execPath, args(budget), { env, timeout: TIMEOUT_MS }));

  const dear = await start(5 * PRICE - 1).ended;
  expect(dear).toMatchObject({ code: 1, stderr: expect.stringContaining('above the budget of 34 coins') });
  expect(await client.generations.list()).toMatchObject({ items: [] });

  const killed = start(5 * PRICE);
  await until('some are queued', async () => (await client.generations.list()).items.length >= 2);
  killed.child.kill('SIGKILL');
  await killed.ended;

  // The failed one is reported and costs nothing; the next run tries it again.
  expect(await start(5 * PRICE).ended).toMatchObject({ code: 1, stdout: expect.stringContaining('spent 28 of 35') });
  const made = await client.generations.list({ status: 'succeeded' });
  expect(made.items).toHaveLength(4);
  expect(await spent()).toBe(4 * PRICE);
  expect((await readdir(out)).sort()).toEqual(['1.png', '2.png', '4.png', '5.png', 'batch.json']);

  await writeFile(prompts, (await readFile(prompts, 'utf8')).replace('sim:fail:timeout', 'a river'));
  expect(await start(5 * PRICE).ended).toMatchObject({ code: 0, stdout: expect.stringContaining('spent 35 of 35') });
  expect(await spent()).toBe(5 * PRICE);
  await stack.assertBooks();
});

test(
  'notebook: its cells run in order and show the picture',
  async () => {
    const { env, spent } = await makeUser();
    const venv = await run(join(ROOT, 'scripts/make-venv'), [
      'python-client',
      join(ROOT, 'clients/python/requirements-dev.txt'),
    ]);
    const { stdout } = await run(
      join(venv.stdout.trim(), 'bin/python'),
      [join(import.meta.dirname, 'run-notebook.py'), join(EXAMPLES, 'notebook/first-steps.ipynb')],
      { env: { ...env, PYTHONPATH: join(ROOT, 'clients/python/src'), PYTHONDONTWRITEBYTECODE: '1' }, cwd: folder.dir },
    );
    expect(stdout).toContain(`${COINS} coins available`);
    expect(stdout).toMatch(/_repr_png_ \d+/);
    expect(await spent()).toBe(PRICE);
  },
  VENV_TIMEOUT_MS,
);

interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function collect(child: ChildProcess): { child: ChildProcess; ended: Promise<Finished> } {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    stdout += chunk;
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk;
  });
  const ended = new Promise<Finished>((done) => child.once('close', (code) => done({ code, stdout, stderr })));
  return { child, ended };
}
