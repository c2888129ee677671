import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AccountMedia } from './create-media.ts';
import { greyPixels, makePng, pngChunk } from './testing/make-png.ts';
import { makeSamples, runFfmpeg } from './testing/make-samples.ts';
import { startMedia, type TestMedia } from './testing/start-media.ts';

// The tests overwrite one path, and the library would cache the first file.
sharp.cache(false);

let started: TestMedia;
let dir: string;
let media: AccountMedia;
let samples: Record<string, string>;

beforeAll(async () => {
  started = await startMedia();
  ({ dir, media } = started);
  samples = await makeSamples(dir);
});

afterAll(() => started?.stop());

async function strip(path: string, mimeType: string): Promise<string> {
  const outPath = join(dir, 'clean');
  const { bytes } = await media.stripMetadata({ path, mimeType, outPath });
  expect((await readFile(outPath)).length).toBe(bytes);
  return outPath;
}

const pixels = async (path: string) =>
  sharp(await readFile(path))
    .raw()
    .toBuffer();

test.each(['image/jpeg', 'image/png', 'image/webp'] as const)(
  '%s loses its metadata and keeps its appearance',
  async (mimeType) => {
    const format = mimeType.slice('image/'.length) as 'jpeg' | 'png' | 'webp';
    const path = join(dir, `told.${format}`);
    await sharp(samples['image/png']!)
      .withExif({ IFD0: { Copyright: 'SECRET owner', Make: 'SECRET camera' }, IFD3: { GPSLatitude: '47/1 22/1 0/1' } })
      .withIccProfile('p3')
      .withMetadata({ orientation: 6 })
      .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/"><a>SECRET</a></x:xmpmeta>')
      .toFormat(format)
      .toFile(path);
    const before = await readFile(path);
    expect(before.includes('SECRET')).toBe(true);
    await writeFile(path, Buffer.concat([before, Buffer.from('SECRET tail')]));

    const clean = await strip(path, mimeType);
    expect((await readFile(clean)).includes('SECRET')).toBe(false);
    const { orientation, icc, exif, xmp } = await sharp(clean).metadata();
    expect(orientation).toBe(6);
    expect(icc?.length).toBeGreaterThan(100);
    expect(exif!.length).toBeLessThan(40);
    expect(xmp).toBeUndefined();
    expect((await pixels(clean)).equals(await pixels(path))).toBe(true);
  },
);

test('an upright picture keeps no EXIF', async () => {
  await sharp(samples['image/jpeg']!)
    .withExif({ IFD0: { Copyright: 'SECRET' } })
    .jpeg()
    .toFile(join(dir, 'upright.jpg'));
  const { exif } = await sharp(await strip(join(dir, 'upright.jpg'), 'image/jpeg')).metadata();
  expect(exif).toBeUndefined();
});

test('a progressive JPEG with restarts is copied scan by scan', async () => {
  const noise = Buffer.from(Array.from({ length: 300 * 200 * 3 }, (_, at) => (at * 7919) % 251));
  const raw = { width: 300, height: 200, channels: 3 } as const;
  await sharp(noise, { raw }).jpeg({ progressive: true, quality: 95 }).toFile(join(dir, 'scans.jpg'));
  const clean = await strip(join(dir, 'scans.jpg'), 'image/jpeg');
  expect((await pixels(clean)).equals(await pixels(join(dir, 'scans.jpg')))).toBe(true);
});

test('texts, times and unknown chunks are removed from a PNG', async () => {
  const named = (type: string) => pngChunk(type, Buffer.from('SECRET\0words'));
  const extra = ['tEXt', 'zTXt', 'iTXt', 'tIME', 'prVt', 'acTL', 'caNv'].map(named);
  await writeFile(
    join(dir, 'texts.png'),
    makePng({ width: 8, height: 8, pixels: greyPixels({ width: 8, height: 8 }), extra }),
  );
  const clean = await readFile(await strip(join(dir, 'texts.png'), 'image/png'));
  expect(clean.equals(makePng({ width: 8, height: 8, pixels: greyPixels({ width: 8, height: 8 }) }))).toBe(true);
});

test('fairness of uploads: a PNG of 999,000 chunks is refused, and by the confined process', async () => {
  const path = join(dir, 'chunks.png');
  const empty = pngChunk('teSt', Buffer.alloc(0));
  const extra = [Buffer.alloc(999_000 * empty.length, empty)];
  await writeFile(path, makePng({ width: 8, height: 8, pixels: greyPixels({ width: 8, height: 8 }), extra }));
  const startedMs = performance.now();
  const before = process.cpuUsage();
  await media.inspect({ path, purpose: 'upload' });
  await expect(strip(path, 'image/png')).rejects.toMatchObject({
    code: 'upload_invalid',
    message: 'The PNG has too many chunks.',
  });
  const { user, system } = process.cpuUsage(before);
  const [cpuMs, tookMs] = [(user + system) / 1000, performance.now() - startedMs];
  console.info(
    `999,000 chunks: answered in ${Math.round(tookMs)} ms, ${Math.round(cpuMs)} ms of our own processor time`,
  );
  expect(cpuMs).toBeLessThan(1_000);
  expect(tookMs).toBeLessThan(10_000);
});

test('an animated WebP keeps its frames', async () => {
  const frames = Buffer.concat([Buffer.alloc(16 * 16 * 3, 20), Buffer.alloc(16 * 16 * 3, 220)]);
  const path = join(dir, 'moving.webp');
  await sharp(frames, { raw: { width: 16, height: 32, channels: 3, pageHeight: 16 } })
    .withExif({ IFD0: { Copyright: 'SECRET' } })
    .webp({ delay: [100, 100] })
    .toFile(path);
  const clean = await strip(path, 'image/webp');
  expect((await readFile(clean)).includes('SECRET')).toBe(false);
  expect(await sharp(clean).metadata()).toMatchObject({ pages: 2, width: 16 });
  const all = async (from: string) => sharp(from, { pages: -1 }).raw().toBuffer();
  expect((await all(clean)).equals(await all(path))).toBe(true);
});

test('sounds and videos keep type, duration and size and lose their metadata', async () => {
  for (const [mimeType, path] of Object.entries(samples)) {
    if (mimeType.startsWith('image/')) continue;
    const before = await media.inspect({ path, purpose: 'upload' });
    expect((await readFile(path)).includes('SECRET'), mimeType).toBe(true);
    const clean = await strip(path, mimeType);
    const bytes = await readFile(clean);
    expect(bytes.includes('SECRET'), mimeType).toBe(false);
    expect(bytes.toString('latin1'), mimeType).not.toMatch(/Lavf\d/);
    expect(await media.inspect({ path: clean, purpose: 'upload' })).toEqual(before);
  }
});

test('brands are kept: a .mov stays QuickTime, an M4A stays M4A', async () => {
  const brand = async (mimeType: string) =>
    (await readFile(await strip(samples[mimeType]!, mimeType))).toString('latin1', 8, 12);
  expect(await brand('video/quicktime')).toBe('qt  ');
  expect(await brand('audio/mp4')).toBe('M4A ');
});

test('a rotated video stays rotated; location, times, chapters, subtitles and cover are removed', async () => {
  const subtitles = join(dir, 'words.srt');
  await writeFile(subtitles, '1\n00:00:00,000 --> 00:00:01,000\nSECRET words\n');
  await writeFile(
    join(dir, 'chapters.txt'),
    ';FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1000\ntitle=SECRET\n',
  );
  await runFfmpeg([
    ...['-i', samples['video/mp4']!, '-i', subtitles, '-i', join(dir, 'chapters.txt'), '-map', '0', '-map', '1'],
    ...['-map_metadata', '2', '-c', 'copy', '-c:s', 'mov_text', '-metadata:s:v', 'rotate=90'],
    ...['-metadata', 'location=+47.0+008.0/', '-metadata', 'creation_time=2020-02-02T02:02:02Z'],
    ...['-metadata:s:v', 'handler_name=SECRET', '-metadata:s:v', 'language=deu'],
    join(dir, 'told.mp4'),
  ]);
  const clean = await strip(join(dir, 'told.mp4'), 'video/mp4');
  expect(await media.inspect({ path: clean, purpose: 'upload' })).toMatchObject({ width: 120, height: 160 });
  const probe = [
    '-v',
    'error',
    '-show_entries',
    'format_tags:stream=codec_type:stream_tags:chapter',
    '-of',
    'json',
    clean,
  ];
  const { stdout } = await promisify(execFile)('ffprobe', probe);
  expect(stdout).not.toMatch(/SECRET|2020-02|47\.0|deu/);
  const { streams, chapters } = JSON.parse(stdout);
  expect(chapters ?? []).toEqual([]);
  expect(streams.map((stream: { codec_type: string }) => stream.codec_type).sort()).toEqual(['audio', 'video']);
});

test('a file that cannot be copied whole is refused and leaves no output', async () => {
  const bytes = await readFile(samples['video/mp4']!);
  await writeFile(join(dir, 'cut.mp4'), bytes.subarray(0, bytes.length / 2));
  await expect(strip(join(dir, 'cut.mp4'), 'video/mp4')).rejects.toMatchObject({ code: 'upload_invalid' });
  await writeFile(join(dir, 'cut.jpg'), (await readFile(samples['image/jpeg']!)).subarray(0, 2000));
  await expect(strip(join(dir, 'cut.jpg'), 'image/jpeg')).rejects.toMatchObject({ code: 'upload_invalid' });
  await expect(readFile(join(dir, 'clean'))).rejects.toMatchObject({ code: 'ENOENT' });
});
