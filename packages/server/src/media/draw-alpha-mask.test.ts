import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startMedia, type TestMedia } from './testing/start-media.ts';

let started: TestMedia;
beforeAll(async () => {
  started = await startMedia();
});
afterAll(() => started?.stop());

const SIZE = { width: 8, height: 4 };

/** A picture whose left half has this alpha, and the right half is opaque. */
async function drawPicture(alpha: number): Promise<string> {
  const pixels = Buffer.alloc(SIZE.width * SIZE.height * 4, 200);
  for (let n = 0; n < SIZE.width * SIZE.height; n += 1) pixels[n * 4 + 3] = n % SIZE.width < 4 ? alpha : 255;
  const path = join(started.dir, `alpha-${alpha}.png`);
  await sharp(pixels, { raw: { ...SIZE, channels: 4 } })
    .png()
    .toFile(path);
  return path;
}

test.each([0, 100])('an area with alpha %i becomes white, the rest black', async (alpha) => {
  const outPath = join(started.dir, 'mask.webp');
  await started.media.drawAlphaMask({ path: await drawPicture(alpha), outPath });
  const { data, info } = await sharp(await readFile(outPath))
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true });
  expect(info).toMatchObject({ ...SIZE, channels: 1 });
  expect([...data.subarray(0, SIZE.width)]).toEqual([255, 255, 255, 255, 0, 0, 0, 0]);
});

test('a picture without a transparent area is refused', async () => {
  const outPath = join(started.dir, 'mask.webp');
  const opaque = join(started.dir, 'opaque.jpg');
  await sharp({ create: { ...SIZE, channels: 3, background: '#fff' } })
    .jpeg()
    .toFile(opaque);
  for (const path of [opaque, await drawPicture(255)]) {
    await expect(started.media.drawAlphaMask({ path, outPath })).rejects.toMatchObject({
      code: 'upload_invalid',
      message: 'The mask has no transparent area.',
    });
  }
});

test('a file that is no picture is refused', async () => {
  const path = join(started.dir, 'text.png');
  await writeFile(path, 'no picture');
  await expect(started.media.drawAlphaMask({ path, outPath: `${path}.out` })).rejects.toMatchObject({
    code: 'upload_invalid',
  });
});
