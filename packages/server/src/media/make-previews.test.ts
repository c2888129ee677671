import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AccountMedia } from './create-media.ts';
import { box, makeGlb, wrapGlb } from './testing/make-glb.ts';
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

const show = (path: string, purpose: 'upload' | 'output' = 'output') =>
  media.inspectAndPreview({ path, purpose, outDir: join(dir, 'out') });

/** The colours of a picture at points given as fractions of its sides. */
async function colours(path: string, places: readonly (readonly [number, number])[]): Promise<number[][]> {
  const { data, info } = await sharp(path).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return places.map(([x, y]) => {
    const at = (Math.floor(y * info.height) * info.width + Math.floor(x * info.width)) * 3;
    return [...data.subarray(at, at + 3)];
  });
}

test('every upload type gets a WebP thumbnail of at most 512 px', async () => {
  for (const path of Object.values(samples)) {
    const { facts, previews } = await show(path, 'upload');
    expect(previews.thumbnail.mimeType).toBe('image/webp');
    expect((await readFile(previews.thumbnail.path)).length).toBe(previews.thumbnail.bytes);
    const { format, width, height } = await sharp(previews.thumbnail.path).metadata();
    expect(format).toBe('webp');
    expect(Math.max(width, height)).toBeLessThanOrEqual(512);
    expect(previews.poster !== undefined).toBe(facts.kind === 'video');
    expect(previews.waveform !== undefined).toBe(facts.kind === 'audio');
  }
});

test('a picture is scaled, not cropped, and small ones stay as they are', async () => {
  await runFfmpeg(['-f', 'lavfi', '-i', 'testsrc2=s=2000x1000:d=1', '-frames:v', '1', join(dir, 'wide.png')]);
  const wide = await show(join(dir, 'wide.png'));
  expect(await sharp(wide.previews.thumbnail.path).metadata()).toMatchObject({ width: 512, height: 256 });
  const small = await show(samples['image/png']!);
  expect(await sharp(small.previews.thumbnail.path).metadata()).toMatchObject({ width: 160, height: 120 });
});

test('the poster is the frame a tenth in, upright', async () => {
  const halves = 'color=red:s=64x32:r=10:d=0.2[a];color=lime:s=64x32:r=10:d=9.8[b];[a][b]concat';
  await runFfmpeg(['-filter_complex', halves, '-c:v', 'libx264', '-pix_fmt', 'yuv420p', join(dir, 'green.mp4')]);
  await runFfmpeg(['-i', join(dir, 'green.mp4'), '-c', 'copy', '-metadata:s:v', 'rotate=90', join(dir, 'turned.mp4')]);
  const { previews } = await show(join(dir, 'turned.mp4'), 'upload');
  expect(await sharp(previews.poster!.path).metadata()).toMatchObject({ format: 'jpeg', width: 32, height: 64 });
  const [[red = 255, green = 0] = []] = await colours(previews.poster!.path, [[0.5, 0.5]]);
  expect(green).toBeGreaterThan(200);
  expect(red).toBeLessThan(60);
});

test('transparent parts of a video are transparent in its previews', async () => {
  const half = "color=red:s=64x64:r=10:d=1,format=yuva420p,geq=lum='lum(X,Y)':a='if(lt(X,32),0,255)'";
  const vp9 = ['-c:v', 'libvpx-vp9', '-pix_fmt', 'yuva420p', '-auto-alt-ref', '0', '-deadline', 'realtime'];
  await runFfmpeg(['-f', 'lavfi', '-i', half, ...vp9, join(dir, 'clear.webm')]);
  const { facts, previews } = await show(join(dir, 'clear.webm'));
  expect(facts).toMatchObject({ kind: 'video', transparent: true });
  for (const { path } of [previews.poster!, previews.thumbnail]) {
    const { data, info } = await sharp(path).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
    const alphaAt = (x: number) => data[(32 * info.width + x) * 4 + 3]!;
    expect([alphaAt(8), alphaAt(56)]).toEqual([expect.closeTo(0, -1), expect.closeTo(255, -1)]);
  }
  expect((await show(samples['video/webm']!)).facts.transparent).toBeUndefined();
});

test('a large video has a poster of at most 1280 px', async () => {
  await runFfmpeg([
    '-f',
    'lavfi',
    '-i',
    'testsrc2=s=2560x1080:d=0.2:r=10',
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    '-pix_fmt',
    'yuv420p',
    join(dir, 'large.mp4'),
  ]);
  const { previews } = await show(join(dir, 'large.mp4'), 'upload');
  expect(await sharp(previews.poster!.path).metadata()).toMatchObject({ width: 1280, height: 540 });
});

test('a waveform follows the sound', async () => {
  const rising = "aevalsrc='if(lt(t,2),0.1,0.8)*sin(2*PI*440*t)|0:d=4:s=44100'";
  await runFfmpeg(['-f', 'lavfi', '-i', rising, join(dir, 'rising.wav')]);
  const { previews } = await show(join(dir, 'rising.wav'), 'upload');
  const { peaks, durationSeconds } = JSON.parse(await readFile(previews.waveform!.path, 'utf8'));
  expect(durationSeconds).toBe(4);
  expect(peaks).toHaveLength(1000);
  expect(Math.max(...peaks.slice(20, 480))).toBeLessThan(0.15);
  expect(Math.min(...peaks.slice(520, 980))).toBeGreaterThan(0.7);
  expect(await sharp(previews.thumbnail.path).metadata()).toMatchObject({ width: 512, height: 256 });
  // Far above the middle, only loud parts have painted pixels.
  const bright = async (from: number) => {
    const places = Array.from({ length: 100 }, (_, step) => [from + step / 250, 0.25] as const);
    return (await colours(previews.thumbnail.path, places)).filter(([red = 0, green = 0]) => red + green > 200).length;
  };
  expect(await bright(0.05)).toBe(0);
  expect(await bright(0.55)).toBeGreaterThan(20);
});

describe('3D', () => {
  test('a model is drawn in its own colour in the middle of its picture', async () => {
    await writeFile(join(dir, 'box.glb'), makeGlb([{ ...box([1, 1, 1]), colour: [0.8, 0.02, 0.02, 1] }]));
    const { facts, previews } = await show(join(dir, 'box.glb'));
    expect(facts).toEqual({
      kind: '3d',
      mimeType: 'model/gltf-binary',
      width: null,
      height: null,
      durationSeconds: null,
    });
    expect(await sharp(previews.thumbnail.path).metadata()).toMatchObject({ width: 512, height: 512 });
    const [middle, corner] = await colours(previews.thumbnail.path, [
      [0.5, 0.5],
      [0.02, 0.02],
    ]);
    expect(middle![0]! - middle![1]!).toBeGreaterThan(80);
    expect(Math.min(...corner!)).toBeGreaterThan(200);
  });

  test('the nearer of two bodies hides the other', async () => {
    const near = box([1, 1, 1]);
    const far = { ...box([0.9, 0.9, 0.9]), colour: [0, 0, 1, 1] as [number, number, number, number] };
    await writeFile(join(dir, 'two.glb'), makeGlb([far, { ...near, colour: [0, 1, 0, 1] }]));
    const [middle] = await colours((await show(join(dir, 'two.glb'))).previews.thumbnail.path, [[0.5, 0.5]]);
    expect(middle![1]!).toBeGreaterThan(middle![2]! + 50);
  });

  test('compressed geometry is shown as its bounds', async () => {
    const document = {
      asset: { version: '2.0' },
      scenes: [{ nodes: [0] }],
      nodes: [{ mesh: 0 }],
      meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
      accessors: [{ componentType: 5126, count: 3, type: 'VEC3', min: [-1, -1, -1], max: [1, 1, 1] }],
    };
    await writeFile(join(dir, 'draco.glb'), wrapGlb(document, Buffer.alloc(4)));
    const [middle] = await colours((await show(join(dir, 'draco.glb'))).previews.thumbnail.path, [[0.5, 0.5]]);
    expect(Math.max(...middle!)).toBeLessThan(215);
  });

  test('an accessor outside the file, a looping scene and an empty one are refused', async () => {
    const loop = {
      nodes: [{ children: [0], mesh: 0 }],
      scenes: [{ nodes: [0] }],
      meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 9 }] }],
    };
    const outside = {
      ...loop,
      nodes: [{ mesh: 0 }],
      accessors: [{ bufferView: 0, componentType: 5126, count: 1e9, type: 'VEC3' }],
      bufferViews: [{ byteOffset: -8, byteLength: 1e12 }],
    };
    for (const document of [loop, outside, {}]) {
      await writeFile(join(dir, 'bad.glb'), wrapGlb(document, Buffer.alloc(16)));
      await expect(show(join(dir, 'bad.glb'))).rejects.toMatchObject({ code: 'upload_invalid' });
    }
  });
});

describe('text and drawings', () => {
  test('text becomes a card that is not blank', async () => {
    await writeFile(join(dir, 'words.txt'), `First line & <b>more</b>\n${'many words follow here '.repeat(40)}`);
    const { facts, previews } = await show(join(dir, 'words.txt'));
    expect(facts).toMatchObject({ kind: 'text', mimeType: 'text/plain' });
    const { data, info } = await sharp(previews.thumbnail.path).greyscale().raw().toBuffer({ resolveWithObject: true });
    expect([info.width, info.height]).toEqual([512, 512]);
    const ink = data.filter((grey) => grey < 110).length / data.length;
    expect(ink).toBeGreaterThan(0.01);
    expect(ink).toBeLessThan(0.3);
  });

  test('JSON is distinguished from text that only begins like it', async () => {
    await writeFile(join(dir, 'a.json'), '{"segments": [{"start": 0, "text": "hello"}]}');
    await writeFile(join(dir, 'b.json'), '{this is a stage direction} Hello.');
    expect((await show(join(dir, 'a.json'))).facts.mimeType).toBe('application/json');
    expect((await show(join(dir, 'b.json'))).facts.mimeType).toBe('text/plain');
  });

  test('a drawing is rasterised and cannot read other files', async () => {
    const link = `<image href="file:///etc/passwd" width="9" height="9"/><image href="${samples['image/png']}" width="40" height="40"/>`;
    await writeFile(
      join(dir, 'd.svg'),
      `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect x="20" width="20" height="20" fill="#00f"/>${link}</svg>`,
    );
    const { facts, previews } = await show(join(dir, 'd.svg'));
    expect(facts).toMatchObject({ kind: 'image', mimeType: 'image/svg+xml', width: 40, height: 20, transparent: true });
    const [left, right] = await sharp(previews.thumbnail.path)
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true })
      .then(({ data, info }) =>
        [0.25, 0.75].map((x) =>
          [...data.subarray((Math.floor(info.height / 2) * info.width + Math.floor(info.width * x)) * 4)].slice(0, 4),
        ),
      );
    expect(left![3]).toBe(0);
    expect(right![2]).toBeGreaterThan(240);
  });

  test('a drawing of excessive size is refused', async () => {
    await writeFile(
      join(dir, 'wide.svg'),
      '<svg xmlns="http://www.w3.org/2000/svg" width="1000000" height="1000000"/>',
    );
    await expect(show(join(dir, 'wide.svg'))).rejects.toMatchObject({ code: 'upload_invalid' });
  });
});
