import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Atelier } from '@atelier/sdk';
import { createNextReceiver, type ReceivedEvent } from '@atelier/sdk/webhooks';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { makeFile, makeFolder } from '../files/make-file.ts';
import { makeAccount, makeKey, type TestAccount } from '../harness/account.ts';
import { until } from '../harness/client.ts';
import { type Stack, startStack } from '../harness/start-stack.ts';
import { startWebServer } from '../sdk/web-server.ts';
import { runCli, startCli } from './run-cli.ts';

const run = promisify(execFile);
const PRICE = 7;

let stack: Stack;
let account: TestAccount;
let folder: Awaited<ReturnType<typeof makeFolder>>;
let env: Record<string, string>;
let count = 0;

beforeAll(async () => {
  folder = await makeFolder();
  stack = await startStack({ services: inject('services'), cdns: 1 });
  account = await makeAccount(stack);
  env = {
    HOME: folder.dir,
    XDG_CONFIG_HOME: join(folder.dir, 'config'),
    ATELIER_BASE_URL: stack.api().url,
    ATELIER_API_KEY: account.key,
    TERM: 'xterm-256color',
  };
});
afterAll(async () => {
  await stack?.stop();
  await folder?.remove();
});

const cli = (...args: string[]) => runCli(args, { env });
const newFolder = () => {
  count += 1;
  return join(folder.dir, `out-${count}`);
};
const client = () => new Atelier({ baseUrl: stack.api().url, apiKey: account.key });

test('login checks the key and stores it for this user only; logout removes it', async () => {
  const { ATELIER_API_KEY: key, ...rest } = env;
  const own = { ...rest, XDG_CONFIG_HOME: join(folder.dir, 'own') };
  const file = join(folder.dir, 'own/atelier/config.json');
  expect((await runCli(['account'], { env: own })).code).toBe(3);
  const wrong = await runCli(['login', '--api-key', 'wrong'], { env: own });
  expect([wrong.code, wrong.stderr.includes('wrong')]).toEqual([3, false]);
  expect((await runCli(['login', '--api-key', '-'], { env: own, input: `${key}\n` })).code).toBe(0);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const shown = await runCli(['account', '--json'], { env: own });
  expect(shown.json()).toMatchObject({ key: { id: account.keyId } });
  expect((await runCli(['logout'], { env: own })).code).toBe(0);
  expect(await readFile(file, 'utf8')).not.toContain(key);
});

test('models, quote and generate: files, and JSON on standard output alone', async () => {
  expect((await cli('models')).stdout).toMatch(/^canvas +image\.generate/m);
  expect((await cli('models', 'canvas')).stdout).toMatch(/--num-outputs +\d/);
  expect((await cli('models', '--modality', 'audio', '--json')).json()[0].modality).toBe('audio');
  expect((await cli('quote', 'canvas', '-p', 'x', '--num-outputs', '2')).stdout).toMatch(
    /^14 coins \(2 outputs, 7 each\)/,
  );
  const out = newFolder();
  const made = await cli('generate', 'canvas', '-p', 'a lake', '--num-outputs', '2', '--max-coins', '14', '-o', out);
  expect(made).toMatchObject({ code: 0 });
  expect(made.stderr).toMatch(/^Price: 14 coins/);
  const files = made.stdout.trim().split('\n');
  expect(files).toEqual((await readdir(out)).sort().map((name) => join(out, name)));
  expect(files).toHaveLength(2);
  expect(made.stdout + made.stderr).not.toContain('\x1b');
  const json = await cli('generate', 'canvas', '-p', 'a lake', '--yes', '--json');
  expect(json).toMatchObject({ code: 0, stderr: '' });
  expect(json.json()).toMatchObject({ status: 'succeeded', coinsCharged: PRICE });
});

test('an input file is uploaded; its id works too', async () => {
  const picture = await makeFile(folder.dir, 'png');
  const id = (await cli('upload', picture)).stdout.trim();
  for (const input of [picture, `image=${id}`]) {
    const made = await cli(
      'generate',
      'real-esrgan-x2',
      '-i',
      input,
      '--upscale-factor',
      '2',
      '--max-coins',
      '100',
      '--json',
    );
    expect(made.json()).toMatchObject({ status: 'succeeded', params: { upscale_factor: 2 } });
  }
});

test('the same key pays once', async () => {
  const args = ['generate', 'canvas', '-p', 'once', '--max-coins', '7', '--key', 'cli-test-key-0001', '--json'];
  const [first, second] = [await cli(...args), await cli(...args)];
  expect(second.json().id).toBe(first.json().id);
});

test('usage adds up the charges by day, model and project', async () => {
  const other = await makeAccount(stack);
  const own = { ...env, ATELIER_API_KEY: other.key };
  for (const prompt of ['one', 'sim:fail:internal']) {
    await runCli(['generate', 'canvas', '-p', prompt, '--yes'], { env: own });
  }
  for (const by of ['day', 'model', 'project']) {
    const counted = (await runCli(['usage', '--by', by, '--json'], { env: own })).json();
    expect(counted).toMatchObject({ by, generations: 2, coins: PRICE, isComplete: true });
    expect(counted.rows).toEqual([{ name: expect.any(String), generations: 2, coins: PRICE }]);
  }
  const shown = await runCli(['usage', '--days', '1'], { env: own });
  expect(shown.stdout).toMatch(/^\d{4}-\d\d-\d\d {2}7 coins {2}2 generations {2}█+\n7 coins for 2 generations since /);
  expect((await runCli(['usage', '--days', '0'], { env: own })).code).toBe(2);
});

test('exit codes', async () => {
  const base = ['generate', 'canvas', '-p'];
  const before = (await client().account.get()).balance.available;
  const cases: [number, string[], Record<string, string>?][] = [
    [4, [...base, 'x', '--max-coins', '3']],
    [2, [...base, 'x']],
    [2, [...base, 'x', '--yes', '--wings', '2']],
    [2, ['list', '--status', 'nowhere']],
    [2, ['generate']],
    [1, ['get', '0198a1c1-e2b7-7a10-8f4d-9b63c0e5d7a2']],
    [1, ['models', 'no-such-model']],
    [5, [...base, 'sim:fail:timeout', '--yes']],
    [6, [...base, 'sim:hold', '--yes', '--timeout', '1']],
    [3, ['account'], { ATELIER_API_KEY: (await makeKey(stack, account, { scopes: ['read'] })).key }],
  ];
  for (const [code, args, more] of cases) {
    const result = await runCli(args, { env: { ...env, ...more } });
    expect([args.join(' '), result.code, result.stdout]).toEqual([args.join(' '), code, '']);
    expect(result.stderr).not.toMatch(/\n\s+at /);
  }
  const { balance } = await client().account.get();
  expect(balance.available + balance.held).toBe(before);
  const failed = await cli('get', '0198a1c1-e2b7-7a10-8f4d-9b63c0e5d7a2', '--json');
  expect(JSON.parse(failed.stderr)).toMatchObject({ error: { code: 'not_found', requestId: expect.any(String) } });
});

test('list works in a pipe whose reader leaves', async () => {
  const { stdout } = await run(
    'bash',
    ['-c', `set -o pipefail; "$@" | head -n 1`, 'x', process.execPath, 'packages/cli/src/main.ts', 'list'],
    {
      env: { PATH: process.env.PATH, ...env },
    },
  );
  expect(stdout.trim().split('\n')).toHaveLength(1);
});

test('cancel, get and an interrupt while waiting', async () => {
  const other = await makeAccount(stack, { runLimit: 1 });
  const own = { ...env, ATELIER_API_KEY: other.key };
  const first = startCli(['generate', 'canvas', '-p', 'sim:hold', '--yes'], { env: own });
  const id = await until('the generation exists', async () => /Generation (\S+)/.exec(first.stderr())?.[1]);
  await until('it is shown as processing', async () => first.stderr().includes('processing'));
  const queued = (await runCli(['generate', 'canvas', '-p', 'x', '--yes', '--no-wait'], { env: own })).stdout.trim();
  expect((await runCli(['cancel', queued], { env: own })).stdout).toBe('canceled\n');
  expect((await runCli(['get', queued, '--json'], { env: own })).json()).toMatchObject({ status: 'canceled' });
  expect((await runCli(['cancel', id], { env: own })).code).toBe(1);
  first.child.kill('SIGINT');
  const ended = await first.ended;
  expect(ended.code).toBe(130);
  expect(ended.stderr).toContain(`atelier get ${id}`);
  expect((await runCli(['list', '--active', '--json'], { env: own })).json()).toHaveLength(1);
});

test('listen forwards a real event, signed with a stable secret; Ctrl-C ends it and leaves nothing behind', async () => {
  const secret = (await cli('listen', '--print-secret')).stdout.trim();
  expect((await cli('listen', '--print-secret')).stdout.trim()).toBe(secret);
  const received: ReceivedEvent[] = [];
  let last: { header: string; body: string } | undefined;
  const receive = createNextReceiver({ secret, onEvent: (event) => received.push(event) });
  await using receiver = await startWebServer(async (request) => {
    last = { header: request.headers.get('service-signature') ?? '', body: await request.clone().text() };
    return receive(request);
  });
  const other = await makeAccount(stack);
  const own = { ...env, ATELIER_API_KEY: other.key };
  const listening = startCli(['listen', '--forward-to', `${receiver.url}/hook`, '--events', 'generation.succeeded'], {
    env: own,
  });
  await until('it listens', async () => listening.stderr().includes('Listening'));
  expect(listening.stderr()).toContain(secret);
  await runCli(['generate', 'canvas', '-p', 'sim:fail:internal', '--yes'], { env: own });
  const made = (await runCli(['generate', 'canvas', '-p', 'x', '--yes', '--json'], { env: own })).json();
  await until('it was forwarded', async () => listening.stdout().includes('-> 204'));
  expect(received).toMatchObject([{ data: { generation: { id: made.id } } }]);
  listening.child.kill('SIGINT');
  expect(await listening.ended).toMatchObject({ code: 0 });
  // Its stream has ended: as many as the account may have can be opened.
  const controllers = Array.from({ length: 5 }, () => new AbortController());
  let open = 0;
  const streams = controllers.map(async ({ signal }) => {
    const stream = new Atelier({ baseUrl: stack.api().url, apiKey: other.key }).events.stream({
      signal,
      onOpen: () => {
        open += 1;
      },
    });
    await stream.next().catch(() => {});
  });
  await until('five streams are open', async () => open === 5);
  for (const controller of controllers) controller.abort();
  await Promise.all(streams);

  const body = join(folder.dir, 'body.json');
  await writeFile(body, last!.body);
  const verify = (...more: string[]) => cli('verify-webhook', body, '--header', last!.header, ...more);
  expect((await verify('--secret', secret)).code).toBe(0);
  expect((await verify('--secret', 'whsec_other')).code).toBe(1);
  const resent = await runCli(['events', 'resend', made.id, '--forward-to', `${receiver.url}/hook`], { env: own });
  expect(resent.stdout).toContain('-> 204');
  expect(received[1]?.id).toBe(received[0]?.id);
  expect((await runCli(['events', '--json'], { env: own })).json()).toHaveLength(2);
});

test('in a terminal: the price, a question, a bar, a picture where the terminal can', async () => {
  const tty = { ...env, TERM: 'xterm-kitty' };
  const out = newFolder();
  await mkdir(out);
  const session = startCli(['generate', 'canvas', '-p', 'sim:ok:2500', '-o', out], { env: tty, isTty: true });
  await until('it asks', async () => session.stdout().includes('Pay 7 coins? [y/N]'));
  session.child.stdin?.write('y\n');
  const { code, stdout } = await session.ended;
  expect(code).toBe(0);
  expect(stdout).toMatch(/Price: 7 coins/);
  expect(stdout).toMatch(/[█░]{24} +\d+ % processing/);
  expect(stdout).toContain('\x1b_Ga=T,f=100');
  expect(await readdir(out)).toHaveLength(1);
  const declined = startCli(['generate', 'canvas', '-p', 'x'], { env: tty, isTty: true });
  await until('it asks', async () => declined.stdout().includes('[y/N]'));
  declined.child.stdin?.write('n\n');
  expect((await declined.ended).code).toBe(4);
  const plain = await runCli(['models', 'canvas'], { env: { ...tty, NO_COLOR: '1' }, isTty: true });
  expect(plain.stdout).not.toContain('\x1b[');
  expect((await runCli(['models', 'canvas'], { env: tty, isTty: true })).stdout).toContain('\x1b[1m');
});

test('completions: bash completes commands and options, the others are printed', async () => {
  const script = `source <(${process.execPath} packages/cli/src/main.ts completion bash)
    COMP_WORDS=(atelier gen); COMP_CWORD=1; _atelier; echo "\${COMPREPLY[@]}"
    COMP_WORDS=(atelier listen --forw); COMP_CWORD=2; _atelier; echo "\${COMPREPLY[@]}"`;
  const { stdout } = await run('bash', ['-c', script], { env: { PATH: process.env.PATH } });
  expect(stdout).toBe('generate\n--forward-to\n');
  expect((await cli('completion', 'zsh')).stdout).toMatch(/^#compdef atelier/);
  expect((await cli('completion', 'fish')).stdout).toContain('complete -c atelier');
  expect((await cli('completion', 'cmd')).code).toBe(2);
});
