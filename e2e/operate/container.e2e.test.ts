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

test('published ports are reachable from outside the container, and the health check uses a port that every role has', async () => {
  const image = await imageEnvironment();
  const compose = parse(await readFile(`${root}compose.yaml`, 'utf8'), { merge: true });
  for (const role of ['api', 'worker', 'cdn', 'console']) {
    expect(compose.services[role].environment).not.toHaveProperty('HOST');
    expect(compose.services[role].environment.METRICS_PORT).toBe(image.METRICS_PORT);
  }
  expect(await readFile(`${root}Dockerfile`, 'utf8')).toContain('process.env.METRICS_PORT}/healthz');
  for (const role of ['api', 'cdn', 'console', 'worker']) {
    const [port, metricsPort] = await freePorts(2);
    const child = spawn(process.execPath, [`${root}packages/server/src/main.ts`, role], {
      env: {
        ...stack.env,
        ...image,
        WEIGHTS_DIR: '',
        PORT: String(port),
        CDN_PORT: String(port),
        CONSOLE_PORT: String(port),
        METRICS_PORT: String(metricsPort),
      },
      stdio: 'ignore',
    });
    const gone = new Promise((resolve) => child.once('exit', resolve));
    const answers = (at: number) => async () =>
      (await fetch(`http://${OUTSIDE}:${at}/healthz`).catch(() => null))?.status === 200;
    try {
      await until(`${role} responds to health checks`, answers(metricsPort as number));
      if (role !== 'worker') await until(`${role} responds from outside`, answers(port as number));
    } finally {
      child.kill('SIGTERM');
      await gone;
    }
  }
});
