import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readClip } from '../ffmpeg/testing/read-clip.ts';
import { readFrame } from '../ffmpeg/testing/read-frame.ts';
import { hasWeights, runEngine } from '../testing/run-engine.ts';

const person = resolve(import.meta.dirname, '../../../../gallery/inputs/person.mp4');
const dir = mkdtempSync(join(tmpdir(), 'atelier-modnet-'));
const video = join(dir, 'person.mp4');
const [SIDE, SECONDS, FRAMES] = [384, 1, 12];

beforeAll(() => {
  const args = [
    '-nostdin',
    '-v',
    'error',
    '-y',
    '-i',
    person,
    '-t',
    `${SECONDS}`,
    '-c:v',
    'libx264',
    '-crf',
    '16',
    video,
  ];
  execFileSync('ffmpeg', args);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

async function cut(params: { format: string; palette?: string }) {
  const seen: number[] = [];
  const startedAt = performance.now();
  const [output] = await runEngine('modnet-video', {
    taskType: 'video.remove-bg',
    params,
    inputs: { video: [video] },
    dir: mkdtempSync(join(dir, 'run-')),
    onProgress: (progress) => seen.push(progress),
  });
  console.info(
    `modnet-video ${params.format}: ${seen.length} frames in ${Math.round(performance.now() - startedAt)} ms`,
  );
  expect(seen).toHaveLength(FRAMES);
  return output!.path;
}

describe.skipIf(!hasWeights('modnet-video'))('modnet-video', () => {
  test('a transparent WebM: the person is visible, the wall is not, and it does not flicker', async () => {
    const path = await cut({ format: 'webm' });
    expect(readClip(path)).toMatchObject({ videoCodec: 'vp9', width: SIDE, height: SIDE, seconds: SECONDS });
    const frames = [8, 9].map((index) => readFrame(path, index, 'rgba'));
    const alphaAt = (x: number, y: number) => frames[0]![(y * SIDE + x) * 4 + 3]!;
    expect(alphaAt(170, 90)).toBeGreaterThan(240);
    expect(alphaAt(270, 30)).toBeLessThan(15);
    const change = meanChange(frames[0]!, frames[1]!);
    console.info(`modnet-video: alpha changes by ${change.toFixed(2)} of 255 between frames`);
    expect(change).toBeLessThan(6);
  });

  test('cut-outs zero the colour of fully transparent pixels: the wall cannot be recovered', async () => {
    const frame = readFrame(await cut({ format: 'webm' }), 8, 'rgba');
    let [clear, sum] = [0, 0];
    for (let y = 0; y < SIDE / 4; y++) {
      for (let x = (SIDE * 3) / 4; x < SIDE; x++) {
        const at = (y * SIDE + x) * 4;
        clear++;
        sum += (frame[at]! + frame[at + 1]! + frame[at + 2]!) / 3;
      }
    }
    console.info(`modnet-video: mean colour of the removed wall ${(sum / clear).toFixed(2)} of 255`);
    expect(sum / clear).toBeLessThan(2);
  });

  test('an MP4 over the requested colour', async () => {
    const path = await cut({ format: 'mp4', palette: 'green' });
    expect(readClip(path)).toMatchObject({ videoCodec: 'h264', pixelFormat: 'yuv420p', seconds: SECONDS });
    const frame = readFrame(path, 8);
    const at = (30 * SIDE + 270) * 3;
    expect(frame[at + 1]! - Math.max(frame[at]!, frame[at + 2]!)).toBeGreaterThan(80);
  });
});

function meanChange(one: Buffer, other: Buffer): number {
  let sum = 0;
  for (let i = 3; i < one.length; i += 4) sum += Math.abs(one[i]! - other[i]!);
  return (sum * 4) / one.length;
}
