import { expect, test } from 'vitest';
import { ProviderError } from '../../provider.ts';
import { type FfmpegOptions, runFfmpeg } from './run-ffmpeg.ts';

/** Node replaces ffmpeg, because it can be made to hang or to fail. */
function options(script: string, overrides: Partial<FfmpegOptions> = {}): FfmpegOptions {
  return {
    ffmpegPath: process.execPath,
    args: ['-e', script],
    stdin: Buffer.alloc(1_000_000),
    timeoutMs: 5_000,
    signal: new AbortController().signal,
    ...overrides,
  };
}

const HANG = 'setInterval(() => {}, 1000)';

test('a process that succeeds resolves', async () => {
  await expect(runFfmpeg(options('process.stdin.resume()'))).resolves.toBeUndefined();
});

test('a process that fails without reading its input is a retryable internal error', async () => {
  const failure = runFfmpeg(options('console.error("broken frame"); process.exit(3)'));
  await expect(failure).rejects.toMatchObject({
    code: 'internal',
    retryable: true,
    cause: { message: /broken frame/ },
  });
});

test('a process that hangs is killed at the timeout', async () => {
  const startedAt = performance.now();
  await expect(runFfmpeg(options(HANG, { timeoutMs: 150 }))).rejects.toMatchObject({ code: 'timeout' });
  expect(performance.now() - startedAt).toBeLessThan(3_000);
});

test('an abort kills the process and rejects with its reason', async () => {
  const controller = new AbortController();
  const startedAt = performance.now();
  setTimeout(() => controller.abort(new Error('lease lost')), 100);
  await expect(runFfmpeg(options(HANG, { signal: controller.signal }))).rejects.toThrow('lease lost');
  expect(performance.now() - startedAt).toBeLessThan(3_000);
});

test('a missing program is an error of the provider', async () => {
  await expect(runFfmpeg(options('', { ffmpegPath: '/nonexistent/ffmpeg' }))).rejects.toBeInstanceOf(ProviderError);
});
