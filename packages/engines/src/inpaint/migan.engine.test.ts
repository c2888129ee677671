import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ParamValues, TaskType } from '@atelier/contract';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EngineRefusal } from '../engine.ts';
import { type Picture, readPicture } from '../image/picture.ts';
import { inputPath } from '../image/testing/composites.ts';
import { psnr } from '../image/testing/picture-measures.ts';
import { hasWeights, runEngine } from '../testing/run-engine.ts';

interface Hole {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'atelier-migan-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

async function writeMask(size: { width: number; height: number }, holes: readonly Hole[]): Promise<string> {
  const path = join(await mkdtemp(join(dir, 'mask-')), 'mask.png');
  const tiles = holes.map(({ left, top, width, height }) => ({
    input: { create: { width, height, channels: 3 as const, background: '#ffffff' } },
    left,
    top,
  }));
  await sharp({ create: { ...size, channels: 3, background: '#000000' } })
    .composite(tiles)
    .png()
    .toFile(path);
  return path;
}

async function run(
  taskType: TaskType,
  image: string,
  more: { mask?: string; params?: ParamValues } = {},
): Promise<Picture> {
  const [output] = await runEngine('migan', {
    taskType,
    params: more.params ?? {},
    inputs: { image: [image], ...(more.mask === undefined ? {} : { mask: [more.mask] }) },
    dir: await mkdtemp(join(dir, 'run-')),
  });
  return readPicture(output!.path);
}

/** Smooth waves of colour: the content of a hole follows from its surroundings. */
async function writeWaves(): Promise<string> {
  const [width, height] = [420, 360];
  const rgb = Buffer.alloc(width * height * 3);
  for (let i = 0; i < width * height; i++) {
    const [x, y] = [i % width, Math.floor(i / width)];
    rgb[i * 3] = 128 + 100 * Math.sin(x / 60);
    rgb[i * 3 + 1] = 128 + 90 * Math.sin(y / 45 + x / 200);
    rgb[i * 3 + 2] = 60 + (150 * x) / width;
  }
  const path = join(dir, 'waves.png');
  await sharp(rgb, { raw: { width, height, channels: 3 } })
    .png()
    .toFile(path);
  return path;
}

/** PSNR of the inpainted part against the original, and of the mean colour as a baseline. */
function judge(made: Picture, truth: Picture, hole: Hole): { painted: number; mean: number } {
  const inside = (i: number) => {
    const [x, y] = [Math.floor(i / 3) % truth.width, Math.floor(Math.floor(i / 3) / truth.width)];
    return x >= hole.left && x < hole.left + hole.width && y >= hole.top && y < hole.top + hole.height;
  };
  const [sums, counts] = [
    [0, 0, 0],
    [0, 0, 0],
  ];
  for (let i = 0; i < truth.rgb.length; i++) {
    if (inside(i)) continue;
    sums[i % 3]! += truth.rgb[i]!;
    counts[i % 3]!++;
  }
  const flat = truth.rgb.map((_, i) => Math.round(sums[i % 3]! / counts[i % 3]!));
  return { painted: psnr(made.rgb, truth.rgb, inside), mean: psnr(flat, truth.rgb, inside) };
}

describe.skipIf(!hasWeights('migan'))('migan', () => {
  // Slightly below the measured 25.2, 23.5 and 43.7 dB; the mean colour has 12.0, 21.6 and 26.6 dB.
  test.each([
    { name: 'waves', path: writeWaves, hole: { left: 150, top: 120, width: 110, height: 90 }, floor: 23, gain: 10 },
    {
      name: 'coffee',
      path: async () => inputPath('coffee.jpg'),
      hole: { left: 470, top: 250, width: 80, height: 80 },
      floor: 22,
      gain: 1,
    },
    {
      name: 'rocket',
      path: async () => inputPath('rocket.jpg'),
      hole: { left: 350, top: 100, width: 60, height: 120 },
      floor: 38,
      gain: 12,
    },
  ])('paints a known hole: $name', async ({ name, path, hole, floor, gain }) => {
    const image = await path();
    const truth = await readPicture(image);
    const made = await run('image.inpaint', image, { mask: await writeMask(truth, [hole]) });
    const { painted, mean } = judge(made, truth, hole);
    console.info(`migan, ${name}: PSNR in the hole ${painted.toFixed(1)} dB, mean colour ${mean.toFixed(1)} dB`);
    expect(painted).toBeGreaterThan(floor);
    expect(painted - mean).toBeGreaterThan(gain);
  });

  test('inpaint changes no pixel outside the mask', async () => {
    const image = inputPath('coffee.jpg');
    const truth = await readPicture(image);
    const holes = [
      { left: 20, top: 20, width: 30, height: 30 },
      { left: 500, top: 300, width: 40, height: 60 },
    ];
    const made = await run('image.inpaint', image, { mask: await writeMask(truth, holes) });
    const outside = (i: number) =>
      holes.every(({ left, top, width, height }) => {
        const [x, y] = [Math.floor(i / 3) % truth.width, Math.floor(Math.floor(i / 3) / truth.width)];
        return x < left || x >= left + width || y < top || y >= top + height;
      });
    expect(psnr(made.rgb, truth.rgb, outside)).toBe(Number.POSITIVE_INFINITY);
    expect(psnr(made.rgb, truth.rgb)).toBeLessThan(60);
  });

  test('outpaint extends by the requested margins and keeps the image in place', async () => {
    const truth = await readPicture(inputPath('cat.jpg'));
    const made = await run('image.outpaint', inputPath('cat.jpg'), { params: { expand_left: 10, expand_top: 5 } });
    expect([made.width, made.height]).toEqual([truth.width + Math.round(truth.width * 0.1), truth.height + 15]);
    const { data } = await sharp(made.rgb, { raw: { width: made.width, height: made.height, channels: 3 } })
      .extract({ left: 100, top: 50, width: 300, height: 200 })
      .raw()
      .toBuffer({ resolveWithObject: true });
    const same = await sharp(truth.rgb, { raw: { width: truth.width, height: truth.height, channels: 3 } })
      .extract({ left: 100 - (made.width - truth.width), top: 35, width: 300, height: 200 })
      .raw()
      .toBuffer();
    expect(data.equals(same)).toBe(true);
  });

  test.each([
    { style: 'crop', aspect: '1:1', size: [300, 300] },
    { style: 'extend', aspect: '16:9', size: [533, 300] },
  ])('reframe by $style to $aspect', async ({ style, aspect, size }) => {
    const made = await run('image.reframe', inputPath('cat.jpg'), { params: { style, aspect_ratio: aspect } });
    expect([made.width, made.height]).toEqual(size);
  });

  test('refuses an empty mask, a full mask, and an empty extension', async () => {
    const image = inputPath('cat.jpg');
    const size = { width: 451, height: 300 };
    const refused = async (promise: Promise<unknown>) => expect(promise).rejects.toBeInstanceOf(EngineRefusal);
    await refused(run('image.erase', image, { mask: await writeMask(size, []) }));
    await refused(run('image.erase', image, { mask: await writeMask(size, [{ left: 0, top: 0, ...size }]) }));
    await refused(run('image.outpaint', image, { params: { expand_left: 0 } }));
  });
});
