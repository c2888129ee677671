import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { FAILURE_CODES, TASK_TYPES, type TaskType } from '@atelier/contract';
import { fileTypeFromFile } from 'file-type';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ProducedOutput, Provider, ProviderJob } from '../provider.ts';
import { createSimulator } from './create-simulator.ts';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'simulator-'));
});
afterAll(() => rm(root, { recursive: true }));

const simulator = createSimulator({ ffmpegPath: 'ffmpeg' });

async function makeJob(overrides: Partial<ProviderJob> = {}): Promise<ProviderJob> {
  return {
    generationId: '5a0f2c1e-0000-4000-8000-000000000001',
    modelId: 'model',
    taskType: 'image.generate',
    params: {},
    inputs: {},
    effectId: null,
    effectSettings: {},
    report: () => {},
    outputs: 1,
    workDir: await mkdtemp(join(root, 'job-')),
    deadlineAt: new Date(8.64e15),
    route: {},
    signal: new AbortController().signal,
    ...overrides,
  };
}

async function outputsOf(job: ProviderJob, provider: Provider = simulator): Promise<readonly ProducedOutput[]> {
  const submitted = await provider.submit(job);
  if (!('outputs' in submitted)) throw new Error(`expected outputs, got ${submitted.handle}`);
  return submitted.outputs;
}

function pathsOf({ path, downloads = [], subtitles }: ProducedOutput): string[] {
  return [path, ...downloads.map((each) => each.path), ...(subtitles ? [subtitles.srtPath, subtitles.vttPath] : [])];
}

function mimeOf(taskType: TaskType): string | undefined {
  if (taskType === 'image.vectorize') return 'application/xml';
  if (taskType === 'audio.stt') return undefined;
  const [modality] = taskType.split('.');
  return { image: 'image/png', video: 'video/mp4', audio: 'audio/wav', '3d': 'model/gltf-binary' }[modality ?? ''];
}

test.each(TASK_TYPES)('%s: same params and seed give the same bytes in another generation', async (taskType) => {
  const digest = async (options: Partial<ProviderJob>) => {
    const hash = createHash('sha256');
    const job = await makeJob({ taskType, params: { prompt: 'a boat', seed: 7 }, ...options });
    for (const path of (await outputsOf(job)).flatMap(pathsOf)) hash.update(await readFile(path));
    return hash.digest('hex');
  };
  const generationId = '5a0f2c1e-0000-4000-8000-00000000000';
  const first = await digest({ generationId: `${generationId}2` });
  expect(await digest({ generationId: `${generationId}3` })).toBe(first);
});

test('another seed produces different bytes, and so does another generation without a seed', async () => {
  const picture = async (options: Partial<ProviderJob>) => {
    const [output] = await outputsOf(await makeJob(options));
    return readFile(output!.path, 'base64');
  };
  const seeded = (seed: number) => picture({ params: { prompt: 'a boat', seed } });
  expect(await seeded(7)).not.toBe(await seeded(8));
  const params = { prompt: 'a boat' };
  expect(await picture({ params, generationId: 'one' })).not.toBe(await picture({ params, generationId: 'two' }));
});

test.each(TASK_TYPES)('%s makes the expected files, and the same ones when repeated', async (taskType) => {
  // Videos cost the most; one of each is enough.
  const count = taskType.startsWith('video.') ? 1 : 2;
  const [job, again] = [await makeJob({ taskType, outputs: count }), await makeJob({ taskType, outputs: count })];
  const [outputs, repeated] = [await outputsOf(job), await outputsOf(again)];
  expect(outputs).toHaveLength(count);
  const paths = outputs.flatMap(pathsOf);
  expect(new Set(paths).size).toBe(paths.length);
  expect(paths.every((path) => dirname(path) === job.workDir)).toBe(true);
  expect((await readdir(job.workDir)).sort()).toEqual(paths.map((path) => basename(path)).sort());
  for (const { path } of outputs) expect((await fileTypeFromFile(path))?.mime).toBe(mimeOf(taskType));
  for (const [index, path] of repeated.flatMap(pathsOf).entries()) {
    expect((await readFile(path)).equals(await readFile(paths[index]!))).toBe(true);
  }
});

test('a picture has the requested ratio and is opaque', async () => {
  const [output] = await outputsOf(await makeJob({ params: { prompt: 'a <fox> & "friends"', aspect_ratio: '16:9' } }));
  expect(await sharp(output!.path).metadata()).toMatchObject({ width: 512, height: 288, hasAlpha: false });
});

test('outputs of one generation differ', async () => {
  const outputs = await outputsOf(await makeJob({ params: { prompt: 'a fox' }, outputs: 3 }));
  const files = await Promise.all(outputs.map(async ({ path }) => (await readFile(path)).toString('base64')));
  expect(new Set(files).size).toBe(3);
});

test('the words of the prompt are drawn', async () => {
  const params = { prompt: 'Silent <lighthouse>' };
  const [output] = await outputsOf(await makeJob({ taskType: 'image.vectorize', params }));
  const svg = await readFile(output!.path, 'utf8');
  expect(svg).toContain('Silent');
  expect(svg).toContain('&#60;lighthouse&#62;');
  expect(svg).toContain('SIMULATED');
  expect(await sharp(output!.path).metadata()).toMatchObject({ format: 'svg', width: 512, height: 512 });
});

test('a removed background is transparent, the subject is not', async () => {
  const [output] = await outputsOf(await makeJob({ taskType: 'image.remove-bg' }));
  const { data, info } = await sharp(output!.path).raw().toBuffer({ resolveWithObject: true });
  const alphaAt = (x: number, y: number) => data[(y * info.width + x) * info.channels + 3];
  expect(info.channels).toBe(4);
  expect([alphaAt(0, 0), alphaAt(511, 511), alphaAt(256, 256)]).toEqual([0, 0, 255]);
});

test.each([
  ['video.generate', {}, ['h264']],
  ['video.generate', { generate_audio: true }, ['h264', 'aac']],
  ['video.add-audio', {}, ['h264', 'aac']],
] as const)('%s with %j is a second of video that ffprobe reads, with streams %j', async (taskType, params, codecs) => {
  const [output] = await outputsOf(await makeJob({ taskType, params }));
  const fields = 'stream=codec_name,width,height,pix_fmt,nb_read_frames:format=duration';
  const args = ['-v', 'error', '-count_frames', '-show_entries', fields, '-of', 'json', output!.path];
  const { streams, format } = JSON.parse(execFileSync('ffprobe', args, { encoding: 'utf8' }));
  expect(streams.map((stream: { codec_name: string }) => stream.codec_name)).toEqual(codecs);
  expect(streams[0]).toMatchObject({ width: 320, height: 180, pix_fmt: 'yuv420p', nb_read_frames: '12' });
  expect(Number(format.duration)).toBeCloseTo(1, 1);
  const boxes = (await readFile(output!.path)).toString('latin1');
  expect(boxes.indexOf('moov')).toBeLessThan(boxes.indexOf('mdat'));
});

test('sound lasts 1.5 seconds, is audible, does not clip, and names its stem', async () => {
  const [output] = await outputsOf(await makeJob({ taskType: 'audio.isolate', params: { stem: 'drums' } }));
  expect(output?.stem).toBe('drums');
  const wav = await readFile(output!.path);
  expect(wav.readUInt32LE(4)).toBe(wav.length - 8);
  const samples = Array.from({ length: (wav.length - 44) / 2 }, (_, at) => Math.abs(wav.readInt16LE(44 + 2 * at)));
  expect(samples.length / wav.readUInt32LE(24)).toBeCloseTo(1.5, 3);
  const peak = samples.reduce((highest, sample) => Math.max(highest, sample), 0);
  expect(peak).toBeGreaterThan(5_000);
  expect(peak).toBeLessThan(32_767);
});

test('a transcript has subtitles in both formats', async () => {
  const [output] = await outputsOf(await makeJob({ taskType: 'audio.stt' }));
  const { srtPath, vttPath } = output!.subtitles!;
  expect(await readFile(output!.path, 'utf8')).toMatch(/^This transcript is simulated\./);
  expect(await readFile(srtPath, 'utf8')).toMatch(/^1\n00:00:00,000 --> 00:00:01,500\nThis .*\n\n2\n00:00:01,500 --> /);
  expect(await readFile(vttPath, 'utf8')).toMatch(
    /^WEBVTT\n\n00:00:00\.000 --> 00:00:01\.500\nThis .*\n\n00:00:01\.500 --> /,
  );
});

test('a model is a GLB with OBJ and STL versions', async () => {
  const [output] = await outputsOf(await makeJob({ taskType: '3d.from-text', params: { prompt: 'a ring' } }));
  expect(output?.downloads?.map(({ format }) => format)).toEqual(['obj', 'stl']);
});

test.each(FAILURE_CODES)('sim:fail:%s fails permanently with that code', async (code) => {
  const job = await makeJob({ params: { prompt: `sim:fail:${code}` } });
  await expect(simulator.submit(job)).rejects.toMatchObject({ name: 'ProviderError', code, retryable: false });
});

test('text chooses the outcome where there is no prompt', async () => {
  const job = await makeJob({ taskType: 'audio.tts', params: { text: 'sim:fail:timeout' } });
  await expect(simulator.submit(job)).rejects.toMatchObject({ code: 'timeout' });
});

test.each([0, 1, 2, 4])('sim:partial:%i delivers that many, whatever was requested', async (count) => {
  const job = await makeJob({ params: { prompt: `sim:partial:${count}` }, outputs: 2 });
  expect(await outputsOf(job)).toHaveLength(count);
});

test('another worker continues from a handle, progress never decreases, and outputs arrive at the end', async () => {
  let nowMs = 1_767_225_600_000;
  const clock = { now: () => new Date(nowMs) };
  const job = await makeJob({ params: { prompt: 'sim:ok:2000' }, outputs: 2 });
  const submitted = await createSimulator({ ffmpegPath: 'ffmpeg', clock }).submit(job);
  if (!('handle' in submitted)) throw new Error('expected a handle');
  const second = createSimulator({ ffmpegPath: 'ffmpeg', clock });
  const seen: number[] = [];
  for (;;) {
    const polled = await second.poll(submitted.handle, job);
    if (polled.state === 'done') {
      expect(polled.outputs).toHaveLength(2);
      break;
    }
    expect(nowMs).toBeLessThan(1_767_225_602_000);
    seen.push(polled.progress!);
    nowMs += Math.min(polled.pollAfterMs!, 300);
  }
  expect(seen).toEqual([0, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9]);
  expect(nowMs).toBe(1_767_225_602_000);
});

test('a clock behind the one that started shows no progress below zero', async () => {
  const job = await makeJob({ params: { prompt: 'sim:ok:2000' } });
  const behind = createSimulator({ ffmpegPath: 'ffmpeg', clock: { now: () => new Date(1_000) } });
  expect(await behind.poll('sim1:5000:ok:2000', job)).toEqual({ state: 'running', progress: 0, pollAfterMs: 500 });
});

test('sim:hold never ends and reports no progress', async () => {
  const job = await makeJob({ params: { prompt: 'sim:hold' } });
  const submitted = await simulator.submit(job);
  if (!('handle' in submitted)) throw new Error('expected a handle');
  const later = createSimulator({ ffmpegPath: 'ffmpeg', clock: { now: () => new Date(8.64e15) } });
  expect(await later.poll(submitted.handle, job)).toEqual({ state: 'running', pollAfterMs: 500 });
});

test('a handle of another provider is refused', async () => {
  await expect(simulator.poll('prediction-7', await makeJob())).rejects.toMatchObject({ code: 'internal' });
});

test('an aborted job makes nothing', async () => {
  const job = await makeJob({ taskType: 'video.generate', signal: AbortSignal.abort(new Error('lease lost')) });
  await expect(simulator.submit(job)).rejects.toThrow('lease lost');
  expect(await readdir(job.workDir)).toEqual([]);
});
