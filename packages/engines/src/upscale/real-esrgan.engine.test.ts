import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Picture, readPicture } from '../image/picture.ts';
import { inputPath } from '../image/testing/composites.ts';
import { psnr, ssim } from '../image/testing/picture-measures.ts';
import { hasWeights, runEngine } from '../testing/run-engine.ts';

const ENGINE_TIMEOUT_MS = 60_000;
/** A crop of a photograph as the reference; the engine gets it at half the size. */
const TRUTH = { left: 160, top: 60, width: 240, height: 200 };
const JPEG_QUALITY = 30;

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'atelier-esrgan-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const open = ({ rgb, width, height }: Picture) => sharp(rgb, { raw: { width, height, channels: 3 } });

async function readTruth(): Promise<Picture> {
  const rgb = await sharp(inputPath('coffee.jpg')).extract(TRUTH).raw().toBuffer();
  return { rgb, width: TRUTH.width, height: TRUTH.height };
}

async function enlargePlainly(path: string): Promise<Picture> {
  const { data, info } = await sharp(path)
    .resize({ width: TRUTH.width, height: TRUTH.height, kernel: 'cubic' })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { rgb: data, width: info.width, height: info.height };
}

function tell(name: string, truth: Picture, made: Picture, plain: Picture) {
  const figures = {
    psnr: psnr(made.rgb, truth.rgb),
    ssim: ssim(made, truth),
    plainPsnr: psnr(plain.rgb, truth.rgb),
    plainSsim: ssim(plain, truth),
  };
  console.info(
    `real-esrgan, ${name}: PSNR ${figures.psnr.toFixed(2)} dB, SSIM ${figures.ssim.toFixed(3)}; without ${figures.plainPsnr.toFixed(2)} dB, ${figures.plainSsim.toFixed(3)}`,
  );
  return figures;
}

describe.skipIf(!hasWeights('real-esrgan'))('real-esrgan', () => {
  test(
    'doubles a clean image close to the original, tile by tile',
    async () => {
      const truth = await readTruth();
      const path = join(dir, 'clean.png');
      await open(truth)
        .resize({ width: TRUTH.width / 2, height: TRUTH.height / 2, kernel: 'cubic' })
        .png()
        .toFile(path);
      const [output] = await runEngine('real-esrgan', {
        taskType: 'image.upscale',
        params: { upscale_factor: 2 },
        inputs: { image: [path] },
        dir: await mkdtemp(join(dir, 'run-')),
      });
      const made = await readPicture(output!.path);
      expect([made.width, made.height]).toEqual([TRUTH.width, TRUTH.height]);
      const { psnr: decibel, ssim: similarity } = tell('clean', truth, made, await enlargePlainly(path));
      expect(decibel).toBeGreaterThan(28.5);
      expect(similarity).toBeGreaterThan(0.92);
    },
    ENGINE_TIMEOUT_MS,
  );

  test(
    'doubles a small JPEG closer to the original than bicubic scaling',
    async () => {
      const truth = await readTruth();
      const path = join(dir, 'small.jpg');
      await open(truth)
        .resize({ width: TRUTH.width / 2, height: TRUTH.height / 2, kernel: 'cubic' })
        .jpeg({ quality: JPEG_QUALITY })
        .toFile(path);
      const [output] = await runEngine('real-esrgan', {
        taskType: 'image.upscale',
        params: { upscale_factor: 2 },
        inputs: { image: [path] },
        dir: await mkdtemp(join(dir, 'run-')),
      });
      const figures = tell('JPEG', truth, await readPicture(output!.path), await enlargePlainly(path));
      expect(figures.psnr).toBeGreaterThan(figures.plainPsnr + 0.8);
      expect(figures.ssim).toBeGreaterThan(figures.plainSsim + 0.03);
    },
    ENGINE_TIMEOUT_MS,
  );

  test(
    'restore removes noise from an image and keeps its size',
    async () => {
      const truth = await readTruth();
      const path = join(dir, 'noisy.png');
      const grain = await sharp({
        create: {
          width: TRUTH.width,
          height: TRUTH.height,
          channels: 3,
          background: '#808080',
          noise: { type: 'gaussian', mean: 128, sigma: 22 },
        },
      })
        .removeAlpha()
        .raw()
        .toBuffer();
      const noisy = truth.rgb.map((value, i) => Math.min(255, Math.max(0, value + grain[i]! - 128)));
      await open({ ...truth, rgb: Buffer.from(noisy) })
        .png()
        .toFile(path);
      const progress: number[] = [];
      const [output] = await runEngine('real-esrgan', {
        taskType: 'image.restore',
        inputs: { image: [path] },
        dir: await mkdtemp(join(dir, 'run-')),
        onProgress: (part) => progress.push(part),
      });
      const figures = tell('noise', truth, await readPicture(output!.path), { ...truth, rgb: Buffer.from(noisy) });
      expect(figures.psnr).toBeGreaterThan(figures.plainPsnr + 7);
      expect(figures.ssim).toBeGreaterThan(figures.plainSsim);
      expect(progress.length).toBeGreaterThanOrEqual(4);
      expect(progress).toEqual([...progress].sort((a, b) => a - b));
    },
    ENGINE_TIMEOUT_MS,
  );

  test(
    'keeps transparency, also for odd sizes and at four times the size',
    async () => {
      const path = join(dir, 'dot.png');
      const dot =
        '<svg xmlns="http://www.w3.org/2000/svg" width="33" height="21"><circle cx="16" cy="10" r="8" fill="#0a7"/></svg>';
      await sharp(Buffer.from(dot)).png().toFile(path);
      const [output] = await runEngine('real-esrgan', {
        taskType: 'image.upscale',
        params: { upscale_factor: 4 },
        inputs: { image: [path] },
        dir: await mkdtemp(join(dir, 'run-')),
      });
      const { data, info } = await sharp(output!.path).raw().toBuffer({ resolveWithObject: true });
      expect(info).toMatchObject({ width: 132, height: 84, channels: 4 });
      expect([data[3], data[(40 * 132 + 64) * 4 + 3]]).toEqual([0, 255]);
    },
    ENGINE_TIMEOUT_MS,
  );
});
