import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { type ProducedOutput, type Provider, ProviderError, type ProviderJob } from '../provider.ts';
import { readBackends } from '../remote/read-backends.ts';

export const SECRET = 'sk-test-0123456789abcdef';

export function backendsFile(record: Record<string, unknown>): string {
  return JSON.stringify({ backends: [{ name: 'gpu', ...record }] });
}

/** One backend under the name `gpu`, with short limits where a test does not say otherwise. */
export function oneBackend(record: Record<string, unknown>, options: { nowMs?: () => number } = {}) {
  const { timeouts, ...rest } = record;
  const text = backendsFile({
    apiKey: 'GPU_KEY',
    timeouts: { connectMs: 1_000, callMs: 2_000, makeMs: 5_000, downloadMs: 5_000, busyMs: 3_000, ...(timeouts ?? {}) },
    ...rest,
  });
  return readBackends(text, () => SECRET, options);
}

let made = 0;
let root: string | undefined;

/** Removes the files of this test file's jobs. */
export async function removeJobs(): Promise<void> {
  if (root !== undefined) await rm(root, { recursive: true, force: true });
  root = undefined;
}

export async function remoteJob(
  overrides: Partial<ProviderJob> & { route: Record<string, unknown> },
): Promise<ProviderJob & { readonly progress: number[] }> {
  const progress: number[] = [];
  made += 1;
  root ??= await mkdtemp(join(tmpdir(), 'remote-jobs-'));
  return {
    generationId: `5a0f2c1e-0000-4000-8000-${String(made).padStart(12, '0')}`,
    modelId: 'model',
    taskType: 'image.generate',
    params: {},
    inputs: {},
    effectId: null,
    effectSettings: {},
    outputs: 1,
    workDir: await mkdtemp(join(root, 'job-')),
    deadlineAt: new Date(Date.now() + 60_000),
    signal: new AbortController().signal,
    report: (part) => progress.push(part),
    progress,
    ...overrides,
  };
}

/** Drives a provider as the worker does, from the submit or from a handle, to its end. */
export async function runToEnd(
  provider: Provider,
  job: ProviderJob & { readonly progress: number[] },
  handle?: string,
): Promise<readonly ProducedOutput[]> {
  let going = handle;
  if (going === undefined) {
    const submitted = await provider.submit(job);
    if ('outputs' in submitted) return submitted.outputs;
    going = submitted.handle;
  }
  for (;;) {
    const polled = await provider.poll(going, job);
    if (polled.state === 'done') return polled.outputs;
    if (polled.progress !== undefined) job.progress.push(polled.progress);
    await sleep(Math.min(polled.pollAfterMs ?? 50, 50));
  }
}

/** The error that a run ends with. */
export async function refusalOf(run: Promise<unknown>): Promise<ProviderError> {
  try {
    await run;
  } catch (error) {
    if (error instanceof ProviderError) return error;
    throw error;
  }
  throw new Error('expected a ProviderError');
}

export async function picture(path: string, { width = 8, height = 8, colour = '#c04020' } = {}): Promise<string> {
  await sharp({ create: { width, height, channels: 3, background: colour } })
    .png()
    .toFile(path);
  return path;
}

export async function pictureBytes(colour = '#4060c0'): Promise<Buffer> {
  return sharp({ create: { width: 4, height: 4, channels: 3, background: colour } })
    .png()
    .toBuffer();
}

/** A second of silence: enough for a recording. */
export async function recording(path: string): Promise<string> {
  const data = Buffer.alloc(16_000);
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + data.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8_000, 24);
  head.writeUInt32LE(16_000, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(data.length, 40);
  await writeFile(path, Buffer.concat([head, data]));
  return path;
}
