import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { Atelier } from '@atelier/sdk';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { documents, EXECUTED_BY } from '../../scripts/docs/documents.ts';
import { type Fence, readFences, whyNotRun } from '../../scripts/docs/read-fences.ts';
import { freePorts } from '../../scripts/sandbox/free-ports.ts';
import { sample } from '../../test/size.ts';
import { makeAccount, type TestAccount } from '../harness/account.ts';
import { until } from '../harness/client.ts';
import { type Stack, startStack } from '../harness/start-stack.ts';
import { waitForModels } from '../harness/wait-for-models.ts';
import { makeEndpoint } from '../webhooks/make-endpoint.ts';
import { runBlocks } from './run-blocks.ts';
import { type ProgramOptions, type ProgramResult, startProgram } from './run-program.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const TIMEOUT_MS = 170_000;
/** What a reader has at the root of a clone. */
const CLONE = [
  'packages',
  'clients',
  'scripts',
  'catalog',
  'gallery',
  'docs',
  'deploy',
  'examples',
  'node_modules',
  'package.json',
];
const INPUTS = { 'photo.jpg': 'portrait.jpg', 'photo.png': 'portrait-mask.png', 'clip.mp4': 'pan.mp4' };
/** Pages about real outputs. The others use the simulator. */
const LIVE = ['README.md', 'docs/quickstart.md', 'docs/effects.md', 'docs/uploads.md'];
/** Pages for people with a shell on the server. */
const OPERATOR = /^docs\/(operate\/|webhooks\.md)/;
const MODELS = ['landscape-painter', 'gmic-sketch', 'gmic-effects'];
/** What the Python of a page imports. */
const VENVS: Readonly<Record<string, [name: string, requirements: string]>> = {
  'docs/openai.md': ['openai', 'e2e/openai/requirements.txt'],
};
const CLIENT_VENV = ['python-client', 'clients/python/requirements-dev.txt'] as const;
/** Files that a page must leave behind, and how they begin. */
const LEFT_BEHIND: Readonly<Record<string, Record<string, string>>> = {
  'docs/quickstart.md': { 'lake-curl.jpg': 'ffd8ff', 'lake-ts.jpg': 'ffd8ff', 'lake-python.jpg': 'ffd8ff' },
};

let stack: Stack;
let scratch: string;
let pairId: string;
const accounts = {} as Record<'live' | 'test', TestAccount>;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'atelier-snippets-'));
  for (const name of CLONE) await symlink(join(ROOT, name), join(scratch, name));
  for (const [name, input] of Object.entries(INPUTS))
    await copyFile(join(ROOT, 'gallery/inputs', input), join(scratch, name));
  // A link to Node would have the name of this version; the command of customers is installed as `atelier`.
  await mkdir(join(scratch, 'bin'));
  const cli = join(ROOT, 'packages/cli/src/main.ts');
  await writeFile(join(scratch, 'bin/atelier'), `#!/bin/sh\nexec node ${cli} "$@"\n`, { mode: 0o755 });
  stack = await startStack({ services: inject('services'), cdns: 1, env: { LIST_EVERY_MODEL: 'false' } });
  for (const mode of ['live', 'test'] as const) accounts[mode] = await makeAccount(stack, { mode });
  await waitForModels(stack.api().url, MODELS);
  // A pair of accounts, as an operator creates it.
  const created = await runBlocks(
    [{ heading: 'account', text: 'node packages/server/src/main.ts account create --name docs --json' }],
    { env: { ...stack.env, PATH: process.env.PATH ?? '' }, timeoutMs: TIMEOUT_MS },
  );
  expect(created.code, created.output).toBe(0);
  pairId = (JSON.parse(created.output.slice(created.output.indexOf('{'))) as { accountId: string }).accountId;
  const fixture = { baseUrl: stack.api().url, liveKey: accounts.live.key, keys: { full: accounts.test.key } };
  await writeFile(join(scratch, '.sandbox.json'), JSON.stringify(fixture));
});

afterAll(async () => {
  await stack?.stop();
  await rm(scratch, { recursive: true, force: true });
});

/** Each program has its own account, so that programs can run side by side. */
async function optionsFor(page: string, extra: Record<string, string> = {}): Promise<ProgramOptions> {
  const { key } = await makeAccount(stack, { mode: LIVE.includes(page) ? 'live' : 'test' });
  const url = stack.api().url;
  return {
    cwd: scratch,
    timeoutMs: TIMEOUT_MS,
    env: {
      ...(OPERATOR.test(page) ? { ...stack.env, ACCOUNT: pairId, RECEIVER: 'http://127.0.0.1:9/hook' } : {}),
      PATH: `${scratch}/bin:${dirname(process.execPath)}:${process.env.PATH}`,
      HOME: scratch,
      TMPDIR: scratch,
      PYTHONPATH: join(ROOT, 'clients/python/src'),
      PYTHONDONTWRITEBYTECODE: '1',
      NODE_COMPILE_CACHE: join(ROOT, '.cache/compile'),
      ATELIER_BASE_URL: url,
      ATELIER_API_KEY: key,
      URL: url,
      KEY: key,
      ...extra,
    },
  };
}

/** Each page is one program per language: its blocks in order. */
const LANGUAGES: Readonly<Record<string, (page: string, blocks: readonly Fence[]) => Promise<ProgramResult>>> = {
  shell: async (page, blocks) => runBlocks(blocks, await optionsFor(page)),
  ts: async (page, blocks) => startProgram(await writeTypescript(blocks), await optionsFor(page)).ended,
  python: async (page, blocks) => startProgram(await writePython(page, blocks), await optionsFor(page)).ended,
};

async function writeTypescript(blocks: readonly Fence[]): Promise<string[]> {
  const file = join(scratch, `${randomUUID()}.ts`);
  await writeFile(file, blocks.map(({ text }) => text).join('\n'));
  return [process.execPath, file];
}

async function writePython(page: string, blocks: readonly Fence[]): Promise<string[]> {
  const file = join(scratch, `${randomUUID()}.py`);
  await writeFile(file, blocks.map(({ text }) => text).join('\n'));
  const [name, requirements] = VENVS[page] ?? CLIENT_VENV;
  const venv = await runBlocks([{ heading: 'venv', text: `scripts/make-venv ${name} ${requirements}` }], {
    env: process.env as Record<string, string>,
    timeoutMs: TIMEOUT_MS,
  });
  expect(venv.code, venv.output).toBe(0);
  return [join(venv.output.trim().split('\n').at(-1) as string, 'bin/python'), file];
}

const isServer = ({ meta }: Fence) => /\bserver\b/.test(meta.replace(/"[^"]*"/g, ''));
const languageOf = ({ language }: Fence) => (['sh', 'bash'].includes(language) ? 'shell' : language);

const programs = documents()
  .filter(({ source }) => !(source in EXECUTED_BY))
  .flatMap(({ source, text }) => {
    const blocks = readFences(text).filter((fence) => languageOf(fence) in LANGUAGES && whyNotRun(fence) === null);
    return Object.keys(LANGUAGES)
      .map((language) => ({
        source,
        language,
        blocks: blocks.filter((fence) => languageOf(fence) === language && !isServer(fence)),
      }))
      .filter((program) => program.blocks.length > 0);
  });

/** In CI the quickstart and some others. */
const always = programs.filter(({ source }) => source in LEFT_BEHIND);
const others = programs.filter(({ source }) => !(source in LEFT_BEHIND));
const chosen = [...always, ...sample(others, { ci: 20, of: 'programs' })];

test.concurrent.each(chosen)('$source, $language', async ({ source, language, blocks }) => {
  const { code, output } = await LANGUAGES[language]!(source, blocks);
  expect(code, output).toBe(0);
});

test.each(Object.entries(LEFT_BEHIND))('%s leaves the files that it shows', async (_page, files) => {
  for (const [name, begin] of Object.entries(files)) {
    expect((await readFile(join(scratch, name))).subarray(0, begin.length / 2).toString('hex'), name).toBe(begin);
  }
});

describe('receivers of webhooks', () => {
  const servers = documents().flatMap(({ source, text }) =>
    readFences(text)
      .filter(isServer)
      .map((block) => ({ source, language: block.language, block })),
  );

  test.concurrent.each(servers)('$source, $language', async ({ source, language, block }) => {
    const [port] = await freePorts(1);
    const account = await makeAccount(stack, { mode: 'test' });
    const endpoint = await makeEndpoint(stack, { accountId: account.accountId, url: `http://127.0.0.1:${port}/hook` });
    const command = await (language === 'ts' ? writeTypescript([block]) : writePython(source, [block]));
    const server = startProgram(
      command,
      await optionsFor(source, { PORT: String(port), WEBHOOK_SECRET: endpoint.secret }),
    );
    try {
      // Not expect.poll: it cannot know its test while several run.
      const listens = () =>
        fetch(`http://127.0.0.1:${port}/`).then(
          () => true,
          () => false,
        );
      await until('the receiver listens', listens, TIMEOUT_MS);
      const client = new Atelier({ baseUrl: stack.api().url, apiKey: account.key });
      const { id } = await client.generations.run({ modelId: 'canvas', params: { prompt: 'a lake' }, maxCoins: 100 });
      await until(
        'it prints the event',
        async () => server.output().includes(`generation.succeeded ${id}`),
        TIMEOUT_MS,
      );
    } finally {
      server.stop();
    }
  });
});

test('the pages left the books in order', () => stack.assertBooks());
