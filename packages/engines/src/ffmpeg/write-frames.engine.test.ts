import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readFrames, writeFrames } from './frames.ts';
import { readClip } from './testing/read-clip.ts';
import { toAlphaWebm, toMp4 } from './video-encoding.ts';

const dir = mkdtempSync(join(tmpdir(), 'atelier-frames-'));
const size = { width: 64, height: 48 };
afterAll(() => rmSync(dir, { recursive: true, force: true }));

async function* grey(levels: readonly number[], channels = 3) {
  for (const level of levels) yield Buffer.alloc(size.width * size.height * channels, level);
}

test('written frames are read back in order', async () => {
  const path = join(dir, 'grey.mp4');
  const levels = [20, 80, 140, 200];
  const args = toMp4({ path, threads: 1, seconds: 0.4, crf: 10 });
  await writeFrames({ ffmpeg: 'ffmpeg', cwd: dir, ...size, fps: 10, pixels: 'rgb24', args, frames: grey(levels) });
  const seen: number[] = [];
  for await (const frame of readFrames({ ffmpeg: 'ffmpeg', path, videoIndex: 0, ...size, fps: 10, cwd: dir })) {
    expect(frame).toHaveLength(size.width * size.height * 3);
    seen.push(frame[frame.length / 2]!);
  }
  expect(seen).toHaveLength(levels.length);
  for (const [i, level] of levels.entries()) expect(Math.abs(seen[i]! - level)).toBeLessThan(6);
});

test('a video with alpha keeps it', async () => {
  const path = join(dir, 'alpha.webm');
  const args = toAlphaWebm({ path, threads: 1, seconds: 0.3 });
  await writeFrames({
    ffmpeg: 'ffmpeg',
    cwd: dir,
    ...size,
    fps: 10,
    pixels: 'rgba',
    args,
    frames: grey([90, 90, 90], 4),
  });
  expect(readClip(path)).toMatchObject({ videoCodec: 'vp9', ...size });
});

test('a frame that fails stops ffmpeg, and its error is thrown', async () => {
  async function* broken() {
    yield Buffer.alloc(size.width * size.height * 3);
    throw new Error('the net is gone');
  }
  const args = toMp4({ path: join(dir, 'broken.mp4'), threads: 1, seconds: 1 });
  const made = writeFrames({ ffmpeg: 'ffmpeg', cwd: dir, ...size, fps: 10, pixels: 'rgb24', args, frames: broken() });
  await expect(made).rejects.toThrow('the net is gone');
});

test('the error output of ffmpeg is in the message', async () => {
  const args = ['-c:v', 'no-such-codec', '-f', 'mp4', join(dir, 'none.mp4')];
  const made = writeFrames({
    ffmpeg: 'ffmpeg',
    cwd: dir,
    ...size,
    fps: 10,
    pixels: 'rgb24',
    args,
    frames: grey([1, 2, 3]),
  });
  await expect(made).rejects.toThrow('no-such-codec');
});
