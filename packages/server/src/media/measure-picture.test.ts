import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, expect, test } from 'vitest';
import { measurePicture } from './measure-picture.ts';

const dir = await mkdtemp(join(tmpdir(), 'atelier-measure-'));
afterAll(() => rm(dir, { recursive: true, force: true }));
const picture = () => sharp({ create: { width: 321, height: 123, channels: 3, background: '#246' } });

test.each([
  ['a PNG', () => picture().png()],
  ['a JPEG', () => picture().jpeg()],
  ['a progressive JPEG with metadata', () => picture().withMetadata().jpeg({ progressive: true })],
  ['a WebP', () => picture().webp()],
  ['a lossless WebP', () => picture().webp({ lossless: true })],
  ['an extended WebP', () => picture().withMetadata().webp()],
])('the pixels of %s are read from its head', async (name, make) => {
  const path = join(dir, name);
  await make().toFile(path);
  expect(await measurePicture(path)).toBe(321 * 123);
});

test('a file without a size in its header has none', async () => {
  const animated = join(dir, 'animated');
  const frames = Buffer.concat([Buffer.alloc(16 * 16 * 3, 20), Buffer.alloc(16 * 16 * 3, 220)]);
  await sharp(frames, { raw: { width: 16, height: 32, channels: 3, pageHeight: 16 } })
    .webp({ delay: [100, 100] })
    .toFile(animated);
  expect(await measurePicture(animated)).toBeNull();
  for (const [name, bytes] of Object.entries({
    empty: Buffer.alloc(0),
    text: Buffer.from('no picture at all'),
    'cut.png': (await picture().png().toBuffer()).subarray(0, 18),
    'cut.jpg': (await picture().jpeg().toBuffer()).subarray(0, 60),
    'cut.webp': (await picture().webp().toBuffer()).subarray(0, 22),
  })) {
    await writeFile(join(dir, name), bytes);
    expect(await measurePicture(join(dir, name)), name).toBeNull();
  }
});
