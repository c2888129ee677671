import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readAlpha, readPicture } from './picture.ts';

const QUARTER_TURN = 6;

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'atelier-picture-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

test('a rotated photograph is read upright, with its alpha', async () => {
  const path = join(dir, 'turned.png');
  const image = sharp({
    create: { width: 30, height: 20, channels: 4, background: { r: 255, g: 0, b: 0, alpha: 0.5 } },
  });
  await image.withMetadata({ orientation: QUARTER_TURN }).png().toFile(path);
  const picture = await readPicture(path);
  expect([picture.width, picture.height, picture.rgb.length]).toEqual([20, 30, 20 * 30 * 3]);
  expect((await readAlpha(path, picture))!.length).toBe(20 * 30);
});

test('transparent parts are read on white, greyscale as three channels', async () => {
  const clear = join(dir, 'clear.png');
  await sharp({ create: { width: 4, height: 4, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } } })
    .png()
    .toFile(clear);
  expect([...(await readPicture(clear)).rgb.subarray(0, 3)]).toEqual([255, 255, 255]);
  const grey = join(dir, 'grey.png');
  await sharp(Buffer.alloc(16, 90), { raw: { width: 4, height: 4, channels: 1 } })
    .toColourspace('b-w')
    .png()
    .toFile(grey);
  expect([...(await readPicture(grey)).rgb.subarray(0, 3)]).toEqual([90, 90, 90]);
});

test('a fully opaque alpha channel counts as none', async () => {
  const path = join(dir, 'whole.png');
  await sharp({ create: { width: 4, height: 4, channels: 4, background: '#336699ff' } })
    .png()
    .toFile(path);
  expect(await readAlpha(path, { width: 4, height: 4 })).toBeNull();
});

test('an image is scaled down to the pixel limit, and never up', async () => {
  const path = join(dir, 'large.png');
  await sharp({ create: { width: 400, height: 100, channels: 3, background: '#336699' } })
    .png()
    .toFile(path);
  const small = await readPicture(path, { maxPixels: 10_000 });
  expect([small.width, small.height]).toEqual([200, 50]);
  expect((await readPicture(path, { maxPixels: 1_000_000 })).width).toBe(400);
});
