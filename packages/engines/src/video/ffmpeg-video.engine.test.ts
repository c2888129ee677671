import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ParamValues, TaskType } from '@atelier/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readClip } from '../ffmpeg/testing/read-clip.ts';
import { runEngine } from '../testing/run-engine.ts';
import { type VideoEffectName, videoEffects } from './video-effects.ts';

const dir = mkdtempSync(join(tmpdir(), 'atelier-video-'));
const [clip, silent, tone] = [join(dir, 'clip.mp4'), join(dir, 'silent.mp4'), join(dir, 'tone.wav')];

beforeAll(() => {
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=12:d=2'];
  const options = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
  const make = (...args: string[]) => execFileSync('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...args]);
  make(...picture, '-f', 'lavfi', '-i', 'sine=f=440:d=2', ...options, '-c:a', 'aac', clip);
  make(...picture, ...options, silent);
  make('-f', 'lavfi', '-i', 'sine=f=880:d=1', tone);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

async function run(taskType: TaskType, options: { params?: ParamValues; preset?: string; video?: string } = {}) {
  const { params = {}, preset, video = clip } = options;
  const seen: number[] = [];
  const [output] = await runEngine('ffmpeg-video', {
    taskType,
    params,
    inputs: { video: [video], ...(taskType === 'video.add-audio' ? { audio: [tone] } : {}) },
    settings: preset === undefined ? {} : { preset },
    dir: mkdtempSync(join(dir, 'run-')),
    onProgress: (progress) => seen.push(progress),
  });
  expect(seen.every((each, i) => each >= (seen[i - 1] ?? 0) && each <= 1)).toBe(true);
  return readClip(output!.path);
}

const CLIP = { videoCodec: 'h264', audioCodec: 'aac', pixelFormat: 'yuv420p', width: 320, height: 180 };

test('interpolates to the requested frame rate and keeps the length', async () => {
  const made = await run('video.interpolate', { params: { fps: 30 } });
  expect(made).toMatchObject({ ...CLIP, fps: 30 });
  expect(made.seconds).toBeCloseTo(2, 1);
  await expect(run('video.interpolate', { params: { fps: 12 } })).rejects.toMatchObject({ name: 'EngineRefusal' });
});

test('doubles the size of a clip', async () => {
  expect(await run('video.upscale', { params: { upscale_factor: 2 } })).toMatchObject({
    ...CLIP,
    width: 640,
    height: 360,
  });
});

test.each([
  ['crop', '1:1', 180, 180],
  ['pad', '1:1', 320, 320],
  ['blur', '9:16', 320, 568],
])('reframes by %s to %s', async (style, aspect_ratio, width, height) => {
  const made = await run('video.reframe', { params: { style, aspect_ratio } });
  expect(made).toMatchObject({ ...CLIP, width, height });
  expect(made.seconds).toBeCloseTo(2, 1);
});

test.each(['loop', 'ping-pong', 'slow'])('extends by %s to the requested length', async (style) => {
  const made = await run('video.extend', { params: { style, duration: 5 } });
  expect(made).toMatchObject(CLIP);
  expect(Math.abs(made.seconds - 5)).toBeLessThan(0.15);
  expect((await run('video.extend', { params: { style, duration: 5 }, video: silent })).audioCodec).toBeNull();
});

test('adds audio: replacing the clip’s own, mixed with it, and to a silent clip; normalized', async () => {
  for (const style of ['replace', 'mix']) {
    for (const video of [clip, silent]) {
      const made = await run('video.add-audio', { params: { style }, video });
      expect(made).toMatchObject(CLIP);
      expect(made.seconds).toBeCloseTo(2, 1);
      console.info(`add-audio ${style}: mean ${made.meanVolumeDb} dB`);
      expect(made.meanVolumeDb).toBeGreaterThan(-32);
      expect(made.maxVolumeDb).toBeLessThan(0);
    }
  }
});

describe.each(Object.keys(videoEffects) as VideoEffectName[])('effect %s', (preset) => {
  test('keeps the size, the length and the audio', async () => {
    const made = await run('video.effect', { preset });
    expect(made).toMatchObject(CLIP);
    expect(Math.abs(made.seconds - 2)).toBeLessThan(0.15);
  });
});

test('a file that is not a video is refused', async () => {
  await expect(
    run('video.reframe', { params: { style: 'crop', aspect_ratio: '1:1' }, video: tone }),
  ).rejects.toMatchObject({ name: 'EngineRefusal' });
});
