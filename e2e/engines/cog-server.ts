import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pickFreePort } from '../../scripts/services/pick-free-port.ts';

const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'atelier');
const START_MS = 60_000;
const STOP_MS = 5_000;

export interface RealCog {
  readonly url: string;
  stop(): Promise<void>;
}

/** A real Cog server with the predictor of `e2e/engines/cog`, from the virtual environment created by `scripts/setup-cog`. */
export async function startRealCog(version: string): Promise<RealCog> {
  const python = join(CACHE, `cog-${version}`, 'bin/python');
  if (!existsSync(python)) throw new Error(`Cog ${version} is not installed: run scripts/setup-cog`);
  const port = await pickFreePort();
  // 0.9 has no --host. Its server runs the model in a separate process, so the whole group is ended.
  const host = version.startsWith('0.9.') ? [] : ['--host=127.0.0.1'];
  const child = spawn(python, ['-m', 'cog.server.http', ...host], {
    cwd: join(import.meta.dirname, 'cog'),
    env: {
      PATH: process.env['PATH'] ?? '',
      PORT: String(port),
      PYTHONDONTWRITEBYTECODE: '1',
      COG_LOG_LEVEL: 'warning',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
  const url = `http://127.0.0.1:${port}`;
  const stop = () => end(child);
  const endAtMs = Date.now() + START_MS;
  for (;;) {
    const health = await fetch(`${url}/health-check`).then(
      async (answer) => ((await answer.json()) as { status: string }).status,
      () => 'unreachable',
    );
    if (health === 'READY') return { url, stop };
    if (child.exitCode !== null || health === 'SETUP_FAILED' || Date.now() > endAtMs) {
      await stop();
      throw new Error(`Cog ${version} did not start (${health}): ${said.slice(-2_000)}`);
    }
    await sleep(200);
  }
}

async function end(child: ChildProcess): Promise<void> {
  const exited = child.exitCode !== null ? Promise.resolve() : new Promise((done) => child.once('exit', done));
  for (const signal of ['SIGINT', 'SIGKILL'] as const) {
    try {
      process.kill(-child.pid!, signal);
    } catch {
      // The group is gone.
    }
    await Promise.race([exited, sleep(STOP_MS)]);
  }
}
