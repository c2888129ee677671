import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface TestNginx {
  readonly port: number;
  readonly dir: string;
  errors(): Promise<string>;
  close(): Promise<void>;
}

const START_TIMEOUT_MS = 10_000;

export const hasNginx = spawnSync('nginx', ['-v']).status === 0;

/** For tests: a real nginx in its own directory, as a child. `files` are written next to its configuration. */
export async function startNginx(options: {
  config: (site: { port: number; dir: string }) => string;
  files?: Readonly<Record<string, string | Uint8Array>>;
}): Promise<TestNginx> {
  const dir = await mkdtemp(join(tmpdir(), 'nginx-'));
  for (const folder of ['logs', 'cache', 'temp', 'root']) await mkdir(join(dir, folder));
  for (const [name, content] of Object.entries(options.files ?? {})) await writeFile(join(dir, name), content);
  const port = await freePort();
  await writeFile(join(dir, 'nginx.conf'), options.config({ port, dir }));

  const child = spawn('nginx', ['-p', dir, '-c', join(dir, 'nginx.conf'), '-e', join(dir, 'logs/error.log')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaints = '';
  child.stderr.on('data', (chunk) => {
    complaints += chunk;
  });
  const exited = once(child, 'exit');
  const errors = async () => complaints + (await readFile(join(dir, 'logs/error.log'), 'utf8').catch(() => ''));

  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await answers(port))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      const said = await errors();
      child.kill('SIGKILL');
      await rm(dir, { recursive: true, force: true });
      throw new Error(`nginx did not start: ${said}`);
    }
    await sleep(20);
  }
  return {
    port,
    dir,
    errors,
    async close() {
      child.kill('SIGTERM');
      await exited;
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Directives that run nginx in the foreground, in one directory, as the current user. */
export function mainDirectives(dir: string): string {
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  return `daemon off; ${user} pid ${dir}/nginx.pid; error_log ${dir}/logs/error.log info;`;
}

/** The same inside `http`. */
export function pathDirectives(dir: string): string {
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `access_log off; ${kinds.map((kind) => `${kind}_temp_path ${dir}/temp/${kind};`).join(' ')}`;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
