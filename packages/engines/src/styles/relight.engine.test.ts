import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readPicture } from '../image/picture.ts';
import { inputPath } from '../image/testing/composites.ts';
import { hasWeights, runEngine } from '../testing/run-engine.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'atelier-relight-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

describe.skipIf(!hasWeights('relight'))('relight', () => {
  test('a portrait lit from the left is brighter there than lit from the right', async () => {
    const lit = async (direction: string) => {
      const [output] = await runEngine('relight', {
        taskType: 'image.relight',
        params: { light_direction: direction, lighting: 'dramatic' },
        inputs: { image: [inputPath('portrait.jpg')] },
        dir: await mkdtemp(join(dir, 'run-')),
      });
      return readPicture(output!.path);
    };
    const [fromLeft, fromRight] = [await lit('left'), await lit('right')];
    expect([fromLeft.width, fromLeft.height]).toEqual([512, 512]);
    const leftCheek = { left: 178, top: 60, width: 20, height: 40 };
    const rightCheek = { left: 235, top: 60, width: 20, height: 40 };
    const gain = (box: typeof leftCheek) => meanOf(fromLeft, box) - meanOf(fromRight, box);
    console.info(`relight: left cheek ${gain(leftCheek).toFixed(1)}, right cheek ${gain(rightCheek).toFixed(1)}`);
    expect(gain(leftCheek)).toBeGreaterThan(5);
    expect(gain(rightCheek)).toBeLessThan(-5);
  });
});

function meanOf(
  picture: { rgb: Buffer; width: number },
  box: { left: number; top: number; width: number; height: number },
): number {
  let sum = 0;
  for (let y = box.top; y < box.top + box.height; y++) {
    for (let x = box.left; x < box.left + box.width; x++) sum += picture.rgb[(y * picture.width + x) * 3 + 1]!;
  }
  return sum / (box.width * box.height);
}
