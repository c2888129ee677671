import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EngineRefusal } from '../engine.ts';
import { type Composite, drawPeople, drawThings, inputPath } from '../image/testing/composites.ts';
import { iou } from '../image/testing/picture-measures.ts';
import { hasWeights, runEngine } from '../testing/run-engine.ts';

const ENGINE_TIMEOUT_MS = 60_000;
/** Invisible, but enough to recover the color. */
const FAINT = 4;
/** Slightly below the measured values of 0.991 to 0.994. */
const CASES = [
  { engine: 'silueta', draw: drawPeople, floor: 0.98 },
  { engine: 'silueta', draw: drawThings, floor: 0.98 },
  { engine: 'u2net', draw: drawThings, floor: 0.98 },
  { engine: 'modnet', draw: drawPeople, floor: 0.98 },
] as const;

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'atelier-cutout-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

async function writeComposite({ picture }: Composite): Promise<string> {
  const path = join(dir, 'composite.png');
  await sharp(picture.rgb, { raw: { width: picture.width, height: picture.height, channels: 3 } })
    .png()
    .toFile(path);
  return path;
}

const alphaOf = (path: string) => sharp(path).extractChannel('alpha').toColourspace('b-w').raw().toBuffer();

describe.each(CASES)('$engine', ({ engine, draw, floor }) => {
  test.skipIf(!hasWeights(engine))(
    `finds a known outline (${draw.name})`,
    async () => {
      const scores: number[] = [];
      for (const composite of await draw()) {
        const path = await writeComposite(composite);
        const [output] = await runEngine(engine, { taskType: 'image.remove-bg', inputs: { image: [path] }, dir });
        scores.push(iou(await alphaOf(output!.path), composite.truth));
        console.info(`${engine}, ${composite.name}: IoU ${scores.at(-1)!.toFixed(3)}`);
      }
      const mean = scores.reduce((total, score) => total + score, 0) / scores.length;
      console.info(`${engine}, ${draw.name}: mean IoU ${mean.toFixed(3)}, floor ${floor}`);
      expect(mean).toBeGreaterThan(floor);
    },
    ENGINE_TIMEOUT_MS,
  );
});

describe.each(['silueta', 'u2net', 'modnet'] as const)('%s', (engine) => {
  test.skipIf(!hasWeights(engine))(
    'cut-outs zero the colour of fully transparent pixels',
    async () => {
      const inputs = { image: [inputPath('portrait.jpg')] };
      const [output] = await runEngine(engine, { taskType: 'image.remove-bg', inputs, dir });
      const rgba = await sharp(output!.path).ensureAlpha().raw().toBuffer();
      let [clear, coloured, faint] = [0, 0, 0];
      for (let at = 0; at < rgba.length; at += 4) {
        if (rgba[at + 3]! > 0 && rgba[at + 3]! < FAINT) faint++;
        if (rgba[at + 3] !== 0) continue;
        clear++;
        if (rgba[at]! + rgba[at + 1]! + rgba[at + 2]! > 0) coloured++;
      }
      const pixels = rgba.length / 4;
      console.info(`${engine}: ${(clear / pixels).toFixed(3)} clear, ${(faint / pixels).toFixed(3)} faint`);
      expect(clear / pixels).toBeGreaterThan(0.1);
      expect(faint / pixels).toBeLessThan(0.02);
      expect(coloured).toBe(0);
    },
    ENGINE_TIMEOUT_MS,
  );
});

describe.skipIf(!hasWeights('silueta'))('silueta', () => {
  const image = [inputPath('coffee.jpg')];

  test('remove-bg keeps the size and the subject, and reports progress', async () => {
    const progress: number[] = [];
    const [output] = await runEngine('silueta', {
      taskType: 'image.remove-bg',
      inputs: { image },
      dir,
      onProgress: (part) => progress.push(part),
    });
    const { width, height, hasAlpha } = await sharp(output!.path).metadata();
    expect({ width, height, hasAlpha }).toEqual({ width: 600, height: 400, hasAlpha: true });
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
    expect(progress.length).toBeGreaterThan(1);
  });

  test('replace-bg with a colour fills the corners and keeps the subject', async () => {
    const [output] = await runEngine('silueta', {
      taskType: 'image.replace-bg',
      params: { style: 'plain', palette: 'blue' },
      inputs: { image },
      dir,
    });
    const { data, info } = await sharp(output!.path).raw().toBuffer({ resolveWithObject: true });
    expect(info).toMatchObject({ width: 600, height: 400, channels: 3 });
    expect([...data.subarray(0, 3)]).toEqual([168, 205, 240]);
    const original = await sharp(image[0]).raw().toBuffer();
    const middle = (150 * 600 + 290) * 3;
    expect([...data.subarray(middle, middle + 3)]).toEqual([...original.subarray(middle, middle + 3)]);
  });

  test('replace-bg with a photograph shows the photograph', async () => {
    const [output] = await runEngine('silueta', {
      taskType: 'image.replace-bg',
      params: { style: 'plain', palette: 'blue' },
      inputs: { image, images: [inputPath('rocket.jpg')] },
      dir,
    });
    const [red, green, blue] = await sharp(output!.path)
      .extract({ left: 2, top: 2, width: 1, height: 1 })
      .raw()
      .toBuffer();
    expect(Math.max(red!, green!, blue!)).toBeLessThan(90);
  });

  test('product-shot has the requested aspect ratio and a shadow under the subject', async () => {
    const [output] = await runEngine('silueta', {
      taskType: 'image.product-shot',
      params: { style: 'catalogue', palette: 'white', aspect_ratio: '4:5' },
      inputs: { image },
      dir,
    });
    const { data, info } = await sharp(output!.path).raw().toBuffer({ resolveWithObject: true });
    expect(info.width / info.height).toBeCloseTo(0.8, 2);
    const at = (x: number, y: number) =>
      data[(Math.round(y * info.height) * info.width + Math.round(x * info.width)) * 3]!;
    expect(at(0.02, 0.02)).toBe(255);
    expect(at(0.5, 0.845)).toBeLessThan(235);
  });

  test('an image with an alpha channel keeps it', async () => {
    const path = join(dir, 'own.png');
    const alpha = Buffer.alloc(64 * 48).fill(200, 0, 1_000);
    const rgba = Buffer.alloc(64 * 48 * 4, 90);
    for (const [i, value] of alpha.entries()) rgba[i * 4 + 3] = value;
    await sharp(rgba, { raw: { width: 64, height: 48, channels: 4 } })
      .png()
      .toFile(path);
    const [output] = await runEngine('silueta', { taskType: 'image.remove-bg', inputs: { image: [path] }, dir });
    expect((await alphaOf(output!.path)).equals(alpha)).toBe(true);
  });

  test('an empty wall is refused with advice', async () => {
    const path = join(dir, 'wall.png');
    await sharp({ create: { width: 300, height: 200, channels: 3, background: '#c8c4bc' } })
      .png()
      .toFile(path);
    const refused = runEngine('silueta', { taskType: 'image.remove-bg', inputs: { image: [path] }, dir });
    await expect(refused).rejects.toBeInstanceOf(EngineRefusal);
    await expect(refused).rejects.toThrow(/stands out/);
  });
});
