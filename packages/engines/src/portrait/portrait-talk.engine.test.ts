import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readClip } from '../ffmpeg/testing/read-clip.ts';
import { readFrame } from '../ffmpeg/testing/read-frame.ts';
import { readPicture } from '../image/picture.ts';
import { hasWeights, runEngine } from '../testing/run-engine.ts';
import { createFaceDrawer } from './create-face-drawer.ts';
import { findFaceMesh } from './find-face-mesh.ts';
import { REST } from './mouth-shapes.ts';

const inputs = resolve(import.meta.dirname, '../../../../gallery/inputs');
const portrait = join(inputs, 'portrait.jpg');
const dir = mkdtempSync(join(tmpdir(), 'atelier-talk-'));
const speech = join(dir, 'speech.wav');
const [SIDE, SECONDS] = [512, 2];

beforeAll(() => {
  const args = ['-nostdin', '-v', 'error', '-y', '-i', join(inputs, 'speech.ogg'), '-t', `${SECONDS}`, speech];
  execFileSync('ffmpeg', args);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

async function talk(image: string, more: { video?: string } = {}) {
  const seen: number[] = [];
  const [output] = await runEngine('portrait-talk', {
    taskType: 'video.lipsync',
    inputs: more.video === undefined ? { image: [image], audio: [speech] } : { video: [more.video], audio: [speech] },
    dir: mkdtempSync(join(dir, 'run-')),
    onProgress: (progress) => seen.push(progress),
  });
  expect(seen.length).toBeGreaterThan(SECONDS * 20);
  return output!.path;
}

describe.skipIf(!hasWeights('portrait-talk'))('portrait talk', () => {
  test('the mesh matches the face, also when the head is tilted', async () => {
    const kit = { weights: (id: string) => join(homedir(), '.cache/atelier/weights', id) };
    const finder = await findFaceMesh({ kit });
    const [straight] = await finder(await readPicture(portrait));
    // The center of the pixels of the teeth.
    const [upper, lower] = [straight!.points[13]!, straight!.points[14]!];
    expect(Math.hypot((upper.x + lower.x) / 2 - 221.5, (upper.y + lower.y) / 2 - 147.5)).toBeLessThan(5);
    expect(straight!.turn).toBeLessThan(0.1);

    const angle = (25 * Math.PI) / 180;
    const path = join(dir, 'tilted.png');
    await sharp(portrait).rotate(25, { background: '#888888' }).toFile(path);
    const tilted = await readPicture(path);
    const [face] = await finder(tilted);
    const distances = straight!.points.map(({ x, y }, i) => {
      const [dx, dy] = [x - SIDE / 2, y - SIDE / 2];
      const { x: tx, y: ty } = face!.points[i]!;
      const [ex, ey] = [dx * Math.cos(angle) - dy * Math.sin(angle), dx * Math.sin(angle) + dy * Math.cos(angle)];
      return Math.hypot(tx - tilted.width / 2 - ex, ty - tilted.height / 2 - ey);
    });
    const mean = distances.reduce((sum, each) => sum + each, 0) / distances.length;
    console.info(`face mesh: ${mean.toFixed(2)} px apart after a tilt of 25°, eye span ${face!.eyeSpan.toFixed(1)} px`);
    expect(mean).toBeLessThan(0.04 * face!.eyeSpan);
  });

  test('at rest the image is unchanged, and closed lips hide the teeth', async () => {
    const kit = { weights: (id: string) => join(homedir(), '.cache/atelier/weights', id) };
    const picture = await readPicture(portrait);
    const [face] = await (await findFaceMesh({ kit }))(picture);
    const draw = createFaceDrawer(picture, face!);
    const rest = draw({ mouth: REST, blink: 0 });
    const closed = draw({ mouth: { gap: 0, width: 1, rest: 0 }, blink: 0 });
    const mouth = { x: 212, y: 141, side: 18 };
    expect(motion([picture.rgb, rest], { x: 0, y: 0, side: SIDE })).toBeLessThan(0.5);
    const [whiteBefore, whiteAfter] = [countWhite(rest, mouth), countWhite(closed, mouth)];
    console.info(`portrait-talk: teeth ${whiteBefore} px at rest, ${whiteAfter} px with closed lips`);
    expect(whiteAfter).toBeLessThan(whiteBefore / 4);
  });

  test('speaks: the mouth moves with the audio, the rest of the image does not move', async () => {
    const startedAt = performance.now();
    const path = await talk(portrait);
    console.info(`portrait-talk: ${SECONDS} s of speech in ${Math.round(performance.now() - startedAt)} ms`);
    const made = readClip(path);
    expect(made).toMatchObject({ videoCodec: 'h264', audioCodec: 'aac', width: SIDE, height: SIDE, fps: 25 });
    expect(made.seconds).toBeCloseTo(SECONDS, 1);
    const frames = Array.from({ length: 8 }, (_, i) => readFrame(path, 4 + i * 6));
    const [mouth, suit] = [motion(frames, { x: 195, y: 125, side: 60 }), motion(frames, { x: 120, y: 350, side: 60 })];
    console.info(`portrait-talk: motion of the mouth ${mouth.toFixed(2)}, of the suit ${suit.toFixed(2)}`);
    expect(mouth).toBeGreaterThan(3);
    expect(suit).toBeLessThan(1.5);
  });

  test('refuses an image without a face, several faces, and a video', async () => {
    await expect(talk(join(inputs, 'coffee.jpg'))).rejects.toMatchObject({ name: 'EngineRefusal' });
    const two = join(dir, 'two.png');
    const tile = await sharp(portrait).toBuffer();
    const tiles = [
      { input: tile, left: 0, top: 0 },
      { input: tile, left: 512, top: 0 },
    ];
    await sharp({ create: { width: 1024, height: 512, channels: 3, background: '#000' } })
      .composite(tiles)
      .toFile(two);
    await expect(talk(two)).rejects.toThrow('several faces');
    await expect(talk(portrait, { video: join(inputs, 'person.mp4') })).rejects.toThrow('does not accept video');
  });
});

/** Bright pixels without colour. */
function countWhite(rgb: Buffer, at: { x: number; y: number; side: number }): number {
  let count = 0;
  for (let y = at.y; y < at.y + at.side; y++) {
    for (let x = at.x; x < at.x + at.side; x++) {
      const [r, g, b] = rgb.subarray((y * SIDE + x) * 3, (y * SIDE + x) * 3 + 3) as unknown as [number, number, number];
      if (g > 165 && r - b < 45) count++;
    }
  }
  return count;
}

/** The mean change from frame to frame inside a square. */
function motion(frames: readonly Buffer[], at: { x: number; y: number; side: number }): number {
  let [sum, count] = [0, 0];
  for (let i = 1; i < frames.length; i++) {
    for (let y = at.y; y < at.y + at.side; y++) {
      for (let x = at.x; x < at.x + at.side; x++) {
        const place = (y * SIDE + x) * 3;
        sum += Math.abs(frames[i]![place]! - frames[i - 1]![place]!);
        count++;
      }
    }
  }
  return sum / count;
}
