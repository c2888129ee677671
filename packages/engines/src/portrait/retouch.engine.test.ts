import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import sharp from 'sharp';
import { afterAll, describe, expect, test } from 'vitest';
import { readPicture } from '../image/picture.ts';
import { hasWeights, runEngine } from '../testing/run-engine.ts';

const inputs = resolve(import.meta.dirname, '../../../../gallery/inputs');
const dir = mkdtempSync(join(tmpdir(), 'atelier-retouch-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

async function retouch(image: string, style: string) {
  const [output] = await runEngine('retouch', {
    taskType: 'image.retouch',
    params: { style },
    inputs: { image: [image] },
    dir: mkdtempSync(join(dir, 'run-')),
  });
  return readPicture(output!.path);
}

describe.skipIf(!hasWeights('retouch'))('retouch', () => {
  test('smooths the skin more with each style, and leaves all other pixels unchanged', async () => {
    const path = join(inputs, 'portrait.jpg');
    const before = await readPicture(path);
    const cheek = { x: 187, y: 105, side: 12 };
    const rough = [roughness(before, cheek)];
    for (const style of ['light', 'medium', 'strong']) {
      const after = await retouch(path, style);
      rough.push(roughness(after, cheek));
      const below = before.width * 300 * 3;
      expect(after.rgb.subarray(below).equals(before.rgb.subarray(below))).toBe(true);
      const eye = { x: 195, y: 96, side: 10 };
      expect(Math.abs(roughness(after, eye) - roughness(before, eye))).toBeLessThan(0.2 * roughness(before, eye));
    }
    console.info(`retouch: roughness of a cheek ${rough.map((each) => each.toFixed(2)).join(', ')}`);
    for (let i = 1; i < rough.length; i++) expect(rough[i]).toBeLessThan(rough[i - 1]!);
    expect(rough[3]).toBeLessThan(0.8 * rough[0]!);
  });

  test('keeps the size and orientation of the upload', async () => {
    const turned = join(dir, 'turned.jpg');
    await sharp(join(inputs, 'portrait.jpg'))
      .rotate(90)
      .resize(400, 400)
      .withMetadata({ orientation: 8 })
      .toFile(turned);
    expect(await retouch(turned, 'light')).toMatchObject({ width: 400, height: 400 });
  });

  test('an image without a face is refused', async () => {
    await expect(retouch(join(inputs, 'rocket.jpg'), 'medium')).rejects.toMatchObject({ name: 'EngineRefusal' });
  });
});

/** The mean difference between each value and the mean of those around it. */
function roughness(picture: { rgb: Buffer; width: number }, at: { x: number; y: number; side: number }): number {
  const value = (x: number, y: number) => picture.rgb[(y * picture.width + x) * 3 + 1]!;
  let [sum, count] = [0, 0];
  for (let y = at.y; y < at.y + at.side; y++) {
    for (let x = at.x; x < at.x + at.side; x++) {
      const around = (value(x - 3, y) + value(x + 3, y) + value(x, y - 3) + value(x, y + 3)) / 4;
      sum += Math.abs(value(x, y) - around);
      count++;
    }
  }
  return sum / count;
}
