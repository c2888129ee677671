import { mkdtempSync, rmSync } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, describe, expect, test } from 'vitest';
import { inputPath } from '../image/testing/composites.ts';
import { psnr, ssim } from '../image/testing/picture-measures.ts';
import { runEngine } from '../testing/run-engine.ts';

const root = mkdtempSync(join(tmpdir(), 'atelier-vtracer-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function trace(path: string, style: string): Promise<string> {
  // One folder each, because libvips caches files by name.
  const dir = await mkdtemp(join(root, 'trace-'));
  const [output] = await runEngine('vtracer', {
    taskType: 'image.vectorize',
    params: { style },
    inputs: { image: [path] },
    dir,
  });
  return output!.path;
}

async function flatten(path: string) {
  const { data, info } = await sharp(path)
    .flatten({ background: '#ffffff' })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { rgb: data, width: info.width, height: info.height };
}

describe('vectorize', () => {
  test('photo resembles the photograph', async () => {
    const path = await trace(inputPath('coffee.jpg'), 'photo');
    const [drawn, original] = [await flatten(path), await flatten(inputPath('coffee.jpg'))];
    const [decibel, similarity] = [psnr(drawn.rgb, original.rgb), ssim(drawn, original)];
    console.info(`vtracer photo: PSNR ${decibel.toFixed(1)} dB, SSIM ${similarity.toFixed(3)}`);
    expect(decibel).toBeGreaterThan(24);
    expect(similarity).toBeGreaterThan(0.7);
  });

  test('logo keeps flat colours and is small', async () => {
    const path = join(root, 'flag.png');
    const flag =
      '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200"><rect width="300" height="200" fill="#fff"/><circle cx="150" cy="100" r="60" fill="#bc002d"/></svg>';
    await sharp(Buffer.from(flag)).png().toFile(path);
    const drawing = await trace(path, 'logo');
    const { rgb } = await flatten(drawing);
    const middle = rgb.subarray((100 * 300 + 150) * 3);
    for (const [i, value] of [0xbc, 0x00, 0x2d].entries()) expect(Math.abs(middle[i]! - value)).toBeLessThanOrEqual(2);
    expect((await readFile(drawing)).length).toBeLessThan(6_000);
  });

  test('a transparent background stays transparent', async () => {
    const path = join(root, 'dot.png');
    const dot =
      '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="120"><circle cx="60" cy="60" r="40" fill="#0a7"/></svg>';
    await sharp(Buffer.from(dot)).png().toFile(path);
    const { data } = await sharp(await trace(path, 'logo'))
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect([data[3], data[(60 * 120 + 60) * 4 + 3]]).toEqual([0, 255]);
  });

  test('pure noise still produces a drawing within the size limit', async () => {
    const path = join(root, 'noise.png');
    await sharp({
      create: {
        width: 700,
        height: 700,
        channels: 3,
        background: '#888',
        noise: { type: 'gaussian', mean: 128, sigma: 80 },
      },
    })
      .png()
      .toFile(path);
    const drawing = await trace(path, 'photo');
    expect((await readFile(drawing)).length).toBeLessThanOrEqual(6_000_000);
  });
});
