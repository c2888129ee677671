import { readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AccountMedia } from './create-media.ts';
import { UPLOAD_TYPES } from './sniff-type.ts';
import { greyPixels, makePng } from './testing/make-png.ts';
import { makeSamples, runFfmpeg } from './testing/make-samples.ts';
import { startMedia, type TestMedia } from './testing/start-media.ts';

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

const inspect = (name: string) => media.inspect({ path: join(dir, name), purpose: 'upload' });
const picture = (seconds: number, size = '128x96') => ['-f', 'lavfi', '-i', `testsrc2=s=${size}:r=10:d=${seconds}`];
const sound = (seconds: number) => ['-f', 'lavfi', '-i', `sine=f=300:r=44100:d=${seconds}`];
const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
const vp9 = ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8', '-b:v', '100k'];

test('all ten types are accepted with their kind', async () => {
  for (const [mimeType, path] of Object.entries(samples)) {
    const kind = UPLOAD_TYPES[mimeType];
    expect(await media.inspect({ path, purpose: 'upload' })).toMatchObject({ mimeType, kind });
  }
}, 30_000);

describe('the real duration and the displayed size', () => {
  const cases: [name: string, make: string[][], seconds: number, size?: [number, number]][] = [
    ['h264.mp4', [[...picture(2), ...sound(2), ...h264, '-c:a', 'aac']], 2, [128, 96]],
    [
      'hevc.mp4',
      [[...picture(1), '-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=none']],
      1,
      [128, 96],
    ],
    ['fragmented.mp4', [[...picture(3), ...h264, '-movflags', 'frag_keyframe+empty_moov']], 3, [128, 96]],
    ['upright.mp4', [[...picture(2), ...h264]], 2, [128, 96]],
    ['rotated.mp4', [['-i', 'upright.mp4', '-c', 'copy', '-metadata:s:v', 'rotate=90']], 2, [96, 128]],
    ['wide.mp4', [[...picture(1), '-vf', 'setsar=2/1', ...h264]], 1, [256, 96]],
    ['long.mp4', [[...picture(6), ...h264, '-g', '10']], 6, [128, 96]],
    ['edited.mp4', [['-ss', '1.55', '-i', 'long.mp4', '-c', 'copy', '-t', '3']], 3.05, [128, 96]],
    ['h264.mov', [[...picture(1), ...h264]], 1, [128, 96]],
    ['prores.mov', [[...picture(1), '-c:v', 'prores', '-pix_fmt', 'yuv422p10le']], 1, [128, 96]],
    ['vp9.webm', [[...picture(2), ...vp9]], 2, [128, 96]],
    [
      'live.webm',
      [
        [...picture(2), ...vp9, '-live', '1', '-f', 'webm', 'pipe.webm'],
        ['-i', 'pipe.webm', '-c', 'copy', '-live', '1'],
      ],
      2,
      [128, 96],
    ],
    ['cbr.mp3', [[...sound(5), '-b:a', '64k']], 5.04],
    ['vbr.mp3', [[...sound(20), '-q:a', '9']], 20.04],
    [
      'vbr-no-xing.mp3',
      [
        [
          '-f',
          'lavfi',
          '-i',
          "aevalsrc='if(lt(t,4),0,random(0)-0.5)':d=20:s=44100",
          '-q:a',
          '5',
          '-write_xing',
          '0',
          '-id3v2_version',
          '0',
        ],
      ],
      20.04,
    ],
    ['s16.wav', [[...sound(5)]], 5],
    ['f32.wav', [[...sound(5), '-c:a', 'pcm_f32le']], 5],
    ['aac.m4a', [[...sound(5), '-c:a', 'aac']], 5],
    ['alac.m4a', [[...sound(5), '-c:a', 'alac']], 5],
    ['vorbis.ogg', [[...sound(5), '-c:a', 'libvorbis']], 5],
    ['opus.ogg', [[...sound(5), '-c:a', 'libopus']], 5],
    ['flac.ogg', [[...sound(5), '-c:a', 'flac']], 5],
  ];

  test.each(cases)('%s', { timeout: 30_000 }, async (name, make, seconds, size) => {
    for (const [step, args] of make.entries()) {
      const inDir = args.map((arg, place) =>
        args[place - 1] === '-i' && /^\w+\.\w+$/.test(arg) ? join(dir, arg) : arg,
      );
      const last = step === make.length - 1;
      if (last) await runFfmpeg([...inDir, join(dir, name)]);
      else await runFfmpeg([...inDir.slice(0, -1), join(dir, inDir.at(-1)!)]);
    }
    const facts = await inspect(name);
    expect(Math.abs(facts.durationSeconds! - seconds)).toBeLessThanOrEqual(0.11);
    expect([facts.width, facts.height]).toEqual(size ?? [null, null]);
  });

  test('a rotated photograph has its displayed size', async () => {
    const { default: sharp } = await import('sharp');
    await sharp(samples['image/jpeg']!).withMetadata({ orientation: 6 }).jpeg().toFile(join(dir, 'turned.jpg'));
    expect(await inspect('turned.jpg')).toMatchObject({ width: 120, height: 160 });
  });

  test('transparency is read from the pixels, not from the header', async () => {
    const rgba = async (name: string, alpha: number) => {
      const { default: sharp } = await import('sharp');
      const background = { r: 9, g: 9, b: 9, alpha };
      await sharp({ create: { width: 20, height: 10, channels: 4, background } })
        .png()
        .toFile(join(dir, name));
      return (await inspect(name)).transparent;
    };
    expect(await rgba('solid.png', 1)).toBe(false);
    expect(await rgba('clear.png', 0.5)).toBe(true);
    expect((await media.inspect({ path: samples['image/jpeg']!, purpose: 'upload' })).transparent).toBeUndefined();
  });
});

describe('the tracks decide the type', () => {
  test('an MP4 without a picture is audio', async () => {
    await runFfmpeg([...sound(1), '-c:a', 'aac', join(dir, 'sound.mp4')]);
    expect(await inspect('sound.mp4')).toMatchObject({ kind: 'audio', mimeType: 'audio/mp4', width: null });
  });

  test.each([
    ['sound.webm', ['-c:a', 'libopus']],
    ['sound.mov', ['-c:a', 'aac']],
  ])('%s without a picture is refused', async (name, codec) => {
    await runFfmpeg([...sound(1), ...codec, join(dir, name)]);
    await expect(inspect(name)).rejects.toMatchObject({ code: 'upload_invalid' });
  });

  test('a cover does not make a song a video', async () => {
    const cover = ['-i', samples['audio/mp4']!, '-i', samples['image/jpeg']!, '-map', '0', '-map', '1', '-c', 'copy'];
    await runFfmpeg([...cover, '-disposition:v', 'attached_pic', join(dir, 'cover.m4a')]);
    expect(await inspect('cover.m4a')).toMatchObject({ kind: 'audio', mimeType: 'audio/mp4' });
  });
});

describe('bounds', () => {
  test.each([
    ['long.mp4', [...picture(61, '16x16'), ...h264], 'upload_too_long'],
    ['long.wav', ['-f', 'lavfi', '-i', 'anullsrc=r=8000:cl=mono', '-t', '602'], 'upload_too_long'],
    ['wide.mp4', [...picture(0.2, '4098x16'), ...h264], 'upload_invalid'],
  ])(
    '%s is refused',
    async (name, args, code) => {
      await runFfmpeg([...args, join(dir, `bound-${name}`)]);
      await expect(inspect(`bound-${name}`)).rejects.toMatchObject({ code });
    },
    30_000,
  );

  test('60 s are accepted', async () => {
    await runFfmpeg([...picture(60, '16x16'), ...sound(60), ...h264, '-c:a', 'aac', join(dir, 'minute.mp4')]);
    expect((await inspect('minute.mp4')).kind).toBe('video');
  }, 30_000);

  test('a file above the size limit of its kind is refused before it is read', async () => {
    await writeFile(
      join(dir, 'large.png'),
      makePng({ width: 8, height: 8, pixels: greyPixels({ width: 8, height: 8 }) }),
    );
    await truncate(join(dir, 'large.png'), 20 * 1024 * 1024 + 1);
    await expect(inspect('large.png')).rejects.toMatchObject({ code: 'upload_too_large' });
  });

  test('the refusal names the limit', async () => {
    await writeFile(join(dir, 'huge.png'), makePng({ width: 60_000, height: 60_000, pixels: Buffer.alloc(9) }));
    await expect(inspect('huge.png')).rejects.toThrow('8192 px');
  });

  test('a provider may send a larger picture', async () => {
    const large = makePng({ width: 9000, height: 2, pixels: greyPixels({ width: 9000, height: 2 }) });
    await writeFile(join(dir, 'upscaled.png'), large);
    expect(await media.inspect({ path: join(dir, 'upscaled.png'), purpose: 'output' })).toMatchObject({ width: 9000 });
  });
});

describe('damage', () => {
  test.each(Object.keys(UPLOAD_TYPES).filter((type) => type.startsWith('image/')))(
    'half of %s is refused',
    async (type) => {
      const bytes = await readFile(samples[type]!);
      await writeFile(join(dir, 'half'), bytes.subarray(0, bytes.length / 2));
      await expect(inspect('half')).rejects.toMatchObject({ code: 'upload_invalid' });
    },
  );

  test('a video with an intact index but truncated data is refused', async () => {
    const bytes = await readFile(samples['video/mp4']!);
    await writeFile(join(dir, 'cut.mp4'), bytes.subarray(0, bytes.length - 2000));
    await expect(inspect('cut.mp4')).rejects.toThrow('truncated');
  });

  test('the file name is ignored', async () => {
    await writeFile(join(dir, 'really.png'), await readFile(samples['video/mp4']!));
    expect(await inspect('really.png')).toMatchObject({ mimeType: 'video/mp4' });
  });

  test('a missing file is an internal error, not a refusal', async () => {
    await expect(inspect('nowhere')).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
