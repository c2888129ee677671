import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { parse } from 'yaml';
import { freePorts } from '../../scripts/sandbox/free-ports.ts';
import { until } from '../harness/client.ts';
import { type Stack, startStack } from '../harness/start-stack.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** An address of this machine other than the default HOST, as used by a published port. */
const OUTSIDE = '127.0.0.2';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ services: inject('services'), apis: 0, workers: 0 });
});
afterAll(() => stack.stop());

async function imageEnvironment(): Promise<Record<string, string>> {
  const text = await readFile(`${root}Dockerfile`, 'utf8');
  const lines = /^ENV ((?:.*\\\n)*.*)$/m.exec(text)?.[1] ?? '';
  return Object.fromEntries(Array.from(lines.matchAll(/(\w+)=(\S+)/g), ([, name, value]) => [name, value]));
}

/** The health check of the image, run as in the container. */
async function runHealthCheck(role: string, env: NodeJS.ProcessEnv): Promise<{ code: number | null; output: string }> {
  const check = spawn(process.execPath, [`${root}deploy/image/health-check.mjs`, role], { env });
  let output = '';
  check.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const code = await new Promise<number | null>((resolve) => check.once('close', resolve));
  return { code, output };
}

test('published ports are reachable from outside the container, and the health check follows what users can reach', async () => {
  const image = await imageEnvironment();
  const compose = parse(await readFile(`${root}compose.yaml`, 'utf8'), { merge: true });
  for (const role of ['api', 'worker', 'cdn', 'console']) {
    // Set by the image, so that the ports of its health check are right.
    for (const name of ['HOST', 'METRICS_PORT', 'PORT', 'CDN_PORT', 'CONSOLE_PORT']) {
      expect(compose.services[role].environment).not.toHaveProperty(name);
      expect(image).toHaveProperty(name);
    }
  }
  expect(await readFile(`${root}Dockerfile`, 'utf8')).toContain('CMD ["node", "deploy/image/health-check.mjs"]');
  for (const role of ['api', 'cdn', 'console', 'worker']) {
    const [port, metricsPort] = await freePorts(2);
    const env = {
      ...stack.env,
      ...image,
      WEIGHTS_DIR: '',
      PORT: String(port),
      CDN_PORT: String(port),
      CONSOLE_PORT: String(port),
      METRICS_PORT: String(metricsPort),
    };
    const child = spawn(process.execPath, [`${root}packages/server/src/main.ts`, role], { env, stdio: 'ignore' });
    const gone = new Promise((resolve) => child.once('exit', resolve));
    const answers = (at: number) => async () =>
      (await fetch(`http://${OUTSIDE}:${at}/healthz`).catch(() => null))?.status === 200;
    try {
      await until(`${role} responds to health checks`, answers(metricsPort as number));
      if (role !== 'worker') await until(`${role} responds from outside`, answers(port as number));
      await until(`${role} is healthy`, async () => (await runHealthCheck(role, env)).code === 0);
    } finally {
      child.kill('SIGTERM');
      await gone;
    }
    const stopped = await runHealthCheck(role, env);
    expect(stopped).toEqual({ code: 1, output: expect.stringContaining(`${role} is not ready: ECONNREFUSED`) });
  }
});
