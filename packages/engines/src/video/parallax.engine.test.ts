import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import sharp from 'sharp';
import { afterAll, describe, expect, test } from 'vitest';
import { readClip } from '../ffmpeg/testing/read-clip.ts';
import { readFrame } from '../ffmpeg/testing/read-frame.ts';
import { hasWeights, runEngine } from '../testing/run-engine.ts';

const inputs = resolve(import.meta.dirname, '../../../../gallery/inputs');
const dir = mkdtempSync(join(tmpdir(), 'atelier-parallax-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

async function animate(image: string, params: { style?: string; prompt?: string }, style = 'push-in') {
  const seen: number[] = [];
  const startedAt = performance.now();
  const [output] = await runEngine('parallax', {
    taskType: 'video.animate',
    params: { duration: 2, ...params },
    inputs: { image: [image] },
    settings: { style },
    dir: mkdtempSync(join(dir, 'run-')),
    onProgress: (progress) => seen.push(progress),
  });
  console.info(`parallax ${params.style ?? style}: ${Math.round(performance.now() - startedAt)} ms`);
  expect(seen.length).toBeGreaterThan(50);
  return output!.path;
}

describe.skipIf(!hasWeights('parallax'))('parallax', () => {
  test('moves the subject more than its background, without torn edges', async () => {
    const path = await animate(join(inputs, 'portrait.jpg'), { style: 'drift-left' });
    expect(readClip(path)).toMatchObject({
      videoCodec: 'h264',
      pixelFormat: 'yuv420p',
      width: 512,
      height: 512,
      fps: 30,
      seconds: 2,
    });
    const [first, last] = [readFrame(path, 0), readFrame(path, 59)];
    const face = findShift({ first, last, x: 180, y: 60, side: 90 });
    const shuttle = findShift({ first, last, x: 400, y: 60, side: 60 });
    console.info(`parallax: the subject moved ${face} px, the background ${shuttle} px`);
    expect(face).toBeGreaterThan(60);
    expect(shuttle).toBeGreaterThan(20);
    expect(face - shuttle).toBeGreaterThan(25);
  });

  test('an image without a subject is refused for layers and accepted for Ken Burns', async () => {
    const plain = join(dir, 'plain.png');
    await sharp({ create: { width: 301, height: 200, channels: 3, background: '#8899aa' } }).toFile(plain);
    await expect(animate(plain, {})).rejects.toMatchObject({ name: 'EngineRefusal' });
    expect(readClip(await animate(plain, { style: 'ken-burns-in' }))).toMatchObject({ width: 302, height: 200 });
  });

  test('a prompt other than a camera move is refused', async () => {
    await expect(animate(join(inputs, 'cat.jpg'), { prompt: 'the cat runs away' })).rejects.toThrow(
      'moves only the camera',
    );
  });
});

/** How far a square of the first frame has moved to the left in the last frame. */
function findShift(options: { first: Buffer; last: Buffer; x: number; y: number; side: number }): number {
  const { first, last, x, y, side } = options;
  const width = 512;
  let [best, least] = [0, Number.POSITIVE_INFINITY];
  for (let shift = 0; shift < 120; shift++) {
    let difference = 0;
    for (let dy = 0; dy < side; dy += 2) {
      for (let dx = 0; dx < side; dx += 2) {
        const at = (y + dy) * width + x + dx;
        difference += Math.abs(first[at * 3]! - last[(at - shift) * 3]!);
      }
    }
    if (difference < least) [best, least] = [shift, difference];
  }
  return best;
}
