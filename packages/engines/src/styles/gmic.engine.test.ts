import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import sharp from 'sharp';
import { afterAll, describe, expect, test } from 'vitest';
import { runEngine } from '../testing/run-engine.ts';
import { filters } from './filters.ts';
import { tonings } from './tonings.ts';

const INPUTS = resolve(import.meta.dirname, '../../../../gallery/inputs');
const [portrait, coffee, cat, strokes] = ['portrait', 'coffee', 'cat', 'strokes'].map((name) =>
  join(INPUTS, `${name}.jpg`),
) as [string, string, string, string];
const root = mkdtempSync(join(tmpdir(), 'atelier-gmic-'));
afterAll(() => rmSync(root, { recursive: true }));
const hasGmic = spawnSync('gmic', ['version']).error === undefined;
const SLOW_MS = 120_000;

async function apply(preset: string, images: string[]): Promise<string> {
  const dir = mkdtempSync(join(root, 'run-'));
  const [output] = await runEngine('gmic', { taskType: 'image.effect', inputs: { images }, settings: { preset }, dir });
  return output!.path;
}

/** The mean difference of two images of the same size, per channel. */
async function difference(a: string, b: string): Promise<number> {
  const { width, height } = await sharp(a).metadata();
  const [left, right] = await Promise.all(
    [a, b].map((path) => sharp(path).resize(width, height, { fit: 'fill' }).toColourspace('srgb').raw().toBuffer()),
  );
  return left!.reduce((sum, value, index) => sum + Math.abs(value - right![index]!), 0) / left!.length;
}

const pixelsOf = (path: string) => sharp(path).toColourspace('srgb').removeAlpha().raw().toBuffer();

/** The mean difference between the channels of a pixel: 0 for grey. */
async function colourOf(path: string): Promise<number> {
  const pixels = await pixelsOf(path);
  let sum = 0;
  for (let at = 0; at < pixels.length; at += 3) {
    const [red, green, blue] = [pixels[at]!, pixels[at + 1]!, pixels[at + 2]!];
    sum += Math.max(red, green, blue) - Math.min(red, green, blue);
  }
  return (sum * 3) / pixels.length;
}

/** The mean of each channel. */
async function meanOf(path: string): Promise<number[]> {
  return (await sharp(path).stats()).channels.slice(0, 3).map(({ mean }) => mean);
}

describe.skipIf(!hasGmic)("G'MIC", () => {
  test.each(Object.keys(filters))(
    '%s changes an image and keeps its aspect ratio',
    async (preset) => {
      const path = await apply(preset, [portrait]);
      const { width, height, channels, format } = await sharp(path).metadata();
      const far = await difference(path, portrait);
      console.info(`${preset}: ${far.toFixed(1)} of 255 away from the photograph`);
      expect({ width, height, channels, format }).toMatchObject({ width: 512, height: 512, format: 'png' });
      expect(far).toBeGreaterThan(4);
      const { entropy } = await sharp(path).stats();
      expect(entropy).toBeGreaterThan(0.5);
    },
    SLOW_MS,
  );

  test('a pencil sketch has no colour and is drawn on light paper', async () => {
    const path = await apply('pencil', [coffee]);
    expect(await colourOf(path)).toBeLessThan(1);
    expect((await meanOf(path))[0]).toBeGreaterThan(120);
  });

  test('coloured pencils keep the colours', async () => {
    const [drawn, photo] = [await colourOf(await apply('coloured-pencil', [coffee])), await colourOf(coffee)];
    console.info(`colour of the photograph ${photo.toFixed(1)}, of the drawing ${drawn.toFixed(1)}`);
    expect(drawn).toBeGreaterThan(photo * 0.4);
  });

  test('the same image produces the same bytes', async () => {
    const [one, two] = [await apply('cubism', [cat]), await apply('cubism', [cat])];
    expect(await difference(one, two)).toBe(0);
  });

  test('a large rotated photograph is turned upright and scaled down', async () => {
    const large = join(root, 'large.jpg');
    await sharp(portrait).resize(3_000, 2_000, { fit: 'fill' }).withMetadata({ orientation: 6 }).jpeg().toFile(large);
    const { width, height } = await sharp(await apply('poster-edges', [large])).metadata();
    expect([width, height]).toEqual([1_067, 1_600]);
  }, 60_000);

  test(
    'a style transfer adopts the colours of the style',
    async () => {
      const dir = mkdtempSync(join(root, 'run-'));
      const [output] = await runEngine('gmic', {
        taskType: 'image.restyle',
        params: { style: 'balanced' },
        inputs: { image: [coffee], images: [strokes] },
        dir,
      });
      const [made, style, content] = [await meanOf(output!.path), await meanOf(strokes), await meanOf(coffee)];
      const apart = (a: number[], b: number[]) => Math.hypot(...a.map((value, index) => value - b[index]!));
      console.info(
        `colour distance to the style ${apart(made, style).toFixed(1)}, to the photograph ${apart(made, content).toFixed(1)}`,
      );
      expect(apart(made, style)).toBeLessThan(apart(made, content));
    },
    SLOW_MS,
  );
});

describe('own looks and templates', () => {
  test.each(Object.keys(tonings))('%s keeps the size, up to whole cells', async (preset) => {
    const { width, height } = await sharp(await apply(preset, [portrait])).metadata();
    expect(Math.abs(width - 512)).toBeLessThan(8);
    expect(Math.abs(height - 512)).toBeLessThan(8);
  });

  test('side by side shows every image in an even frame', async () => {
    for (const images of [
      [portrait, coffee],
      [portrait, coffee, cat, portrait],
    ]) {
      const path = await apply('side-by-side', images);
      const { width, height } = await sharp(path).metadata();
      expect(width).toBeLessThanOrEqual(3_200);
      expect(width).toBeGreaterThan(height);
      const edge = await sharp(path).extract({ left: 0, top: 0, width: 24, height }).raw().toBuffer();
      expect(edge.every((value) => value === 255)).toBe(true);
    }
  });

  test.each([
    ['polaroid', 1],
    ['polaroid', 3],
    ['polaroid', 4],
    ['film-strip', 1],
    ['film-strip', 4],
    ['contact-sheet', 1],
    ['gallery-frame', 1],
  ])('%s of %i', async (preset, count) => {
    const { width, height } = await sharp(
      await apply(preset, [portrait, coffee, cat, portrait].slice(0, count)),
    ).metadata();
    expect(Math.min(width, height)).toBeGreaterThan(400);
  });
});

describe('refusals give advice', () => {
  test.each([
    ['side-by-side', [portrait], 'This effect requires 2 to 4 images.'],
    ['cartoon', [portrait, coffee], 'This effect requires 1 image.'],
    ['no-such', [portrait], 'This model requires an effect. Set effectId to one of its effects.'],
    ['toString', [portrait], 'This model requires an effect. Set effectId to one of its effects.'],
  ])('%s', async (preset, images, message) => {
    await expect(apply(preset, images)).rejects.toThrow(message);
  });

  test('a style transfer without a style image', async () => {
    const asked = runEngine('gmic', { taskType: 'image.restyle', inputs: { image: [cat] }, dir: root });
    await expect(asked).rejects.toThrow('Two images are required');
  });
});
