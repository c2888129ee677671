import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMediaTools, type MediaToolBox, type MediaTools } from '../media/media-tools.ts';
import { PROBED_FILE } from '../media/probe/probe-protocol.ts';
import { greyPixels, makePng } from '../media/testing/make-png.ts';
import { type ConfineMode, type Confinement, createConfinement } from './confinement.ts';
import { runConfined } from './run-program.ts';
import { sweepSpool } from './sweep-spool.ts';

let dir: string;
let server: Server;
let port: number;
let visits = 0;
const confinements = new Map<ConfineMode, Confinement>();

/** Tries what a compromised decoder would try and reports what succeeded. */
const INTRUDER = `
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { createSocket } from 'node:dgram';
import { spawnSync } from 'node:child_process';
const [, , port, secret, confined] = process.argv;
const attempt = (work) => { try { return work() ?? 'done'; } catch (error) { return error.code ?? String(error); } };
const eventually = (start) => new Promise((resolve) => { try { start(resolve); } catch (error) { resolve(error.code); } setTimeout(() => resolve('silence'), 2000).unref(); });
const said = {
  own: attempt(() => readFileSync('/in/given.txt', 'utf8')),
  tcp: await eventually((done) => connect(Number(port), '127.0.0.1').on('connect', () => done('connected')).on('error', (error) => done(error.code))),
  udp: await eventually((done) => { const socket = createSocket('udp4'); socket.on('error', (error) => done(error.code)); socket.send('x', Number(port), '127.0.0.1', (error) => done(error ? error.code : 'sent')); }),
  listen: await eventually((done) => createServer().on('error', (error) => done(error.code)).listen(0, '127.0.0.1', () => done('listening'))),
  secret: attempt(() => readFileSync(secret, 'utf8')),
  passwd: attempt(() => readFileSync('/etc/passwd', 'utf8')),
  processes: attempt(() => readdirSync('/proc').length),
  home: attempt(() => readdirSync('/root').length),
  write: attempt(() => writeFileSync('/in/given.txt', 'changed')),
  create: attempt(() => writeFileSync('/in/new.txt', 'new')),
  // Not without confinement, where these paths belong to the machine.
  ...(confined && {
    elsewhere: attempt(() => writeFileSync('/dev/shm/new.txt', '')),
    root: attempt(() => writeFileSync('/new.txt', '')),
    device: attempt(() => writeFileSync('/dev/new.txt', '')),
    tmp: attempt(() => writeFileSync('/tmp/new.txt', '')),
  }),
  mount: spawnSync('/usr/bin/mount', ['-t', 'tmpfs', 'none', '/in']).status,
  unshare: spawnSync('/usr/bin/unshare', ['-U', 'true']).status,
  environment: Object.keys(process.env).sort(),
};
console.log(JSON.stringify(said));
process.exit(0);
`;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'confinement-'));
  await mkdir(join(dir, 'in'));
  await writeFile(join(dir, 'in', 'given.txt'), 'given');
  await writeFile(join(dir, 'in', 'intruder.mjs'), INTRUDER);
  await writeFile(join(dir, 'secret.txt'), 'secret');
  for (const mode of ['bwrap', 'none'] as const) confinements.set(mode, createConfinement({ mode, spoolDir: dir }));
  server = createServer((socket) => {
    visits++;
    socket.destroy();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  port = (server.address() as { port: number }).port;
});

afterAll(async () => {
  for (const confinement of confinements.values()) confinement.close();
  await new Promise((closed) => server.close(closed));
  await rm(dir, { recursive: true, force: true });
});

function run(
  mode: ConfineMode,
  args: readonly string[],
  bounds: { deadlineMs?: number; maxOutputBytes?: number } = {},
) {
  return runConfined(confinements.get(mode)!, {
    command: (place) => [place(process.execPath), ...args.map((arg) => place(arg))],
    mounts: [
      { from: process.execPath, to: '/app/node' },
      { from: join(dir, 'in'), to: '/in' },
    ],
    limits: { cpuSeconds: 5, fileBytes: 0, dataBytes: 1536 * 1024 * 1024, wallSeconds: 10 },
    deadlineMs: 8000,
    maxOutputBytes: 64 * 1024,
    ...bounds,
  });
}

test('a confined attacker reaches nothing outside', async () => {
  const { ok, output, complaint } = await run('bwrap', [
    join(dir, 'in', 'intruder.mjs'),
    `${port}`,
    join(dir, 'secret.txt'),
    'confined',
  ]);
  expect(complaint).toBe('');
  expect(ok).toBe(true);
  const said = JSON.parse(output.toString());
  expect(said).toMatchObject({
    own: 'given',
    tcp: 'EPERM',
    listen: 'EPERM',
    secret: 'ENOENT',
    passwd: 'ENOENT',
    home: 'ENOENT',
  });
  expect(said.udp).toMatch(/^E/);
  expect(said.processes).toBe('ENOENT');
  expect(said.write).toMatch(/^E/);
  expect(said.create).toMatch(/^E/);
  // Every path that could be written without a limit: the root and /dev, which are in memory.
  for (const place of ['root', 'elsewhere', 'device', 'tmp']) expect(said[place]).toMatch(/^E(ROFS|NOENT)$/);
  expect(said.mount).not.toBe(0);
  expect(said.unshare).not.toBe(0);
  expect(said.environment).toEqual(['LANG', 'PATH', 'PWD']);
  expect(existsSync(join(dir, 'in', 'new.txt'))).toBe(false);
  expect(visits).toBe(0);
});

test('the same attacker succeeds without confinement, so the test can fail', async () => {
  const { output } = await run('none', [join(dir, 'in', 'intruder.mjs'), `${port}`, join(dir, 'secret.txt')]);
  expect(JSON.parse(output.toString())).toMatchObject({ tcp: 'connected', secret: 'secret' });
});

describe('bounds', () => {
  test('time', async () => {
    const startedAt = performance.now();
    const { ok, reason } = await run('bwrap', ['-e', 'setInterval(() => {}, 1000)'], { deadlineMs: 500 });
    expect({ ok, reason }).toEqual({ ok: false, reason: 'timeout' });
    expect(performance.now() - startedAt).toBeLessThan(3000);
  });

  test('output', async () => {
    const { reason } = await run('bwrap', ['-e', "for (;;) process.stdout.write('x'.repeat(1e5))"], {
      maxOutputBytes: 1000,
    });
    expect(reason).toBe('overflow');
  });

  test('memory', async () => {
    const { ok } = await run('bwrap', ['-e', 'Buffer.alloc(1.4e9, 1); console.log(1)']);
    expect(ok).toBe(false);
  });

  test('a missing program is an internal error', async () => {
    const missing = runConfined(confinements.get('bwrap')!, {
      command: () => ['no-such-program'],
      mounts: [],
      limits: { cpuSeconds: 1, fileBytes: 0 },
      deadlineMs: 5000,
      maxOutputBytes: 100,
    });
    await expect(missing).rejects.toThrow('did not start');
  });
});

describe('the pool', () => {
  let box: MediaToolBox;
  let tools: MediaTools;
  const incidents: string[] = [];
  const path = () => join(dir, 'small.png');
  const request = { task: 'image', bounds: { maxPixels: 1e8, maxSidePixels: 1e4 } } as const;

  beforeAll(async () => {
    const small = makePng({ width: 8, height: 8, pixels: greyPixels({ width: 8, height: 8 }) });
    await writeFile(path(), small);
    await writeFile(
      join(dir, 'slow.png'),
      makePng({ width: 8192, height: 8192, pixels: greyPixels({ width: 8192, height: 8192 }) }),
    );
    box = createMediaTools({
      spoolDir: dir,
      confinement: 'bwrap',
      ffmpegPath: 'ffmpeg',
      ffprobePath: 'ffprobe',
      onIncident: ({ reason }) => incidents.push(reason),
    });
    tools = box.of('one');
  });
  afterAll(() => box.close());

  test('a child that does not answer in time is stopped and replaced', async () => {
    await tools.probe({ request, path: path() });
    const slow = tools.probe({ request, path: join(dir, 'slow.png'), deadlineMs: 5 });
    await expect(slow).rejects.toMatchObject({ code: 'upload_invalid' });
    expect(incidents).toEqual(['timeout']);
    expect((await tools.probe({ request, path: path() })).answer).toMatchObject({ readable: true, width: 8 });
  });

  test('concurrent requests are all answered, also beyond the limits of one child', async () => {
    const results = await Promise.all(Array.from({ length: 150 }, () => tools.probe({ request, path: path() })));
    expect(results.every(({ answer }) => answer.width === 8)).toBe(true);
  });
});

test('one probe child serves the files of one account only', async () => {
  const spoolDir = join(dir, 'owners');
  await mkdir(spoolDir);
  const box = createMediaTools({ spoolDir, confinement: 'bwrap', ffmpegPath: 'ffmpeg', ffprobePath: 'ffprobe' });
  const pool = join(spoolDir, (await readdir(spoolDir)).find((name) => name.startsWith('probe-'))!);
  /** The child whose directory holds a file while a file of `owner` is probed. */
  const childOf = async (owner: string): Promise<string> => {
    const request = { task: 'image', bounds: { maxPixels: 1e8, maxSidePixels: 1e4 } } as const;
    let seen = '';
    const probed = box.of(owner).probe({ request, path: join(dir, 'slow.png') });
    const watch = (async () => {
      while (seen === '') {
        seen = (await readdir(pool)).find((child) => existsSync(join(pool, child, PROBED_FILE))) ?? '';
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    })();
    await Promise.all([probed, watch]);
    return seen;
  };
  try {
    const [first, again, other] = [await childOf('a'), await childOf('a'), await childOf('b')];
    expect(again).toBe(first);
    expect(other).not.toBe(first);
    expect(await childOf('a')).toBe(first);
  } finally {
    await box.close();
  }
}, 60_000);

test('spool directories of dead processes are removed, those of live processes are kept', async () => {
  const [dead, living, foreign] = [`probe-${2 ** 22 + 1}-abc`, `probe-${process.pid}-abc`, 'upload-1-abc'];
  for (const name of [dead, living, foreign]) await mkdir(join(dir, 'spool', name), { recursive: true });
  sweepSpool(join(dir, 'spool'));
  expect([dead, living, foreign].map((name) => existsSync(join(dir, 'spool', name)))).toEqual([false, true, true]);
});
