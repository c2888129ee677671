import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { isRunning, stopDaemon } from './daemon.ts';

const children = new Set<ReturnType<typeof spawn>>();
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
});

async function startSleep(seconds: string) {
  const child = spawn('sleep', [seconds], { stdio: 'ignore' });
  children.add(child);
  await once(child, 'spawn');
  return { program: 'sleep', pid: child.pid as number, marker: seconds };
}

test('a daemon runs until it is stopped', async () => {
  const daemon = await startSleep('86321');
  await expect.poll(() => isRunning(daemon)).toBe(true);
  await stopDaemon(daemon, { signal: 'SIGTERM', timeoutMs: 2_000 });
  expect(isRunning(daemon)).toBe(false);
});

test('a pid reused by another program is not killed', async () => {
  const daemon = await startSleep('86322');
  await expect.poll(() => isRunning(daemon)).toBe(true);
  const reused = { ...daemon, program: 'redis-server' };
  const otherRun = { ...daemon, marker: '99999' };
  await stopDaemon(reused, { signal: 'SIGKILL', timeoutMs: 2_000 });
  await stopDaemon(otherRun, { signal: 'SIGKILL', timeoutMs: 2_000 });
  expect(isRunning(daemon)).toBe(true);
});

test('a program that ignores the signal is killed', async () => {
  const child = spawn('bash', ['-c', 'trap "" TERM; echo ready; while :; do sleep 0.1; done'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  children.add(child);
  await once(child.stdout, 'data');
  const daemon = { program: 'bash', pid: child.pid as number, marker: 'echo ready' };
  await stopDaemon(daemon, { signal: 'SIGTERM', timeoutMs: 200 });
  expect(isRunning(daemon)).toBe(false);
});
