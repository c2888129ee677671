import { join } from 'node:path';
import { FFMPEG_READ_OPTIONS } from '@atelier/contract';
import sharp from 'sharp';
import { type CreateEngine, EngineRefusal } from '../engine.ts';
import { writeFrames } from '../ffmpeg/frames.ts';
import { even } from '../ffmpeg/probe-video.ts';
import { fromUpload, toMp4 } from '../ffmpeg/video-encoding.ts';
import type { Picture } from '../image/picture.ts';
import { runProgram } from '../run-program.ts';
import { createFaceDrawer } from './create-face-drawer.ts';
import type { FaceMesh } from './face-mesh.ts';
import { type FaceFinder, findFaceMesh } from './find-face-mesh.ts';
import { blinkAt, planMouth, readMouthCues } from './mouth-shapes.ts';

const MAX_SIDE_PX = 720;
const FPS = 25;
const MAX_SECONDS = 30;
const SLACK_SECONDS = 0.2;
const SAMPLE_RATE_HZ = 16_000;
const BYTES_PER_SAMPLE = 2;
const MIN_EYE_SPAN_PX = 36;
/** If the head is turned further, half of the mouth is hidden. */
const MAX_TURN = 0.32;
/** With a second face of this relative size it is unclear which one should speak. */
const RIVAL = 0.6;
const HEARD = 0.5;

/** Animates a portrait to a recording: mouth shapes are detected in the audio and applied to the face. */
export const createEngine: CreateEngine = async (kit) => {
  const ffmpeg = kit.program('ffmpeg');
  const finder = await findFaceMesh({ kit });
  return {
    async run({ inputs, dir }, report) {
      const [image] = inputs['image'] ?? [];
      const [audio] = inputs['audio'] ?? [];
      if (image === undefined || audio === undefined) {
        throw new EngineRefusal('A portrait image and a recording are required. This model does not accept video.');
      }
      const picture = await readPortrait(image);
      const face = await chooseFace(finder, picture);
      report(0.05);
      const samples = await readSamples({ ffmpeg, path: audio, cwd: dir });
      const seconds = samples.length / BYTES_PER_SAMPLE / SAMPLE_RATE_HZ;
      const cues = await readMouthCues(samples);
      report(HEARD);

      const { width, height } = picture;
      const draw = createFaceDrawer(picture, face);
      const mouths = planMouth({ cues, seconds, fps: FPS });
      const path = join(dir, 'output.mp4');
      async function* speak() {
        for (const [index, mouth] of mouths.entries()) {
          yield draw({ mouth, blink: blinkAt(index / FPS) });
          report(HEARD + ((1 - HEARD) * (index + 1)) / mouths.length);
        }
      }
      const sound = [...fromUpload(audio), '-map', '0:v', '-map', '1:a:0'];
      await writeFrames({
        ...{ ffmpeg, cwd: dir, width, height, fps: FPS, pixels: 'rgb24', frames: speak() },
        args: [...sound, ...toMp4({ path, threads: kit.threads, seconds, crf: 18 })],
      });
      return [{ path }];
    },
  };
};

async function chooseFace(finder: FaceFinder, picture: Picture): Promise<FaceMesh> {
  const [face, rival] = await finder(picture);
  if (rival !== undefined && rival.eyeSpan > RIVAL * face!.eyeSpan) {
    throw new EngineRefusal('The image has several faces. Use a portrait of one person.');
  }
  if (face!.turn > MAX_TURN) {
    throw new EngineRefusal('The face is turned to the side. Use a portrait that looks at the camera.');
  }
  if (face!.eyeSpan < MIN_EYE_SPAN_PX) {
    throw new EngineRefusal('The face is too small. Crop the image to head and shoulders.');
  }
  return face!;
}

async function readPortrait(path: string): Promise<Picture> {
  const { autoOrient } = await sharp(path).metadata();
  const shrink = Math.min(1, MAX_SIDE_PX / Math.max(autoOrient.width, autoOrient.height));
  const [width, height] = [even(autoOrient.width * shrink), even(autoOrient.height * shrink)];
  const rgb = await sharp(path)
    .autoOrient()
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .resize({ width, height, fit: 'fill' })
    .removeAlpha()
    .raw()
    .toBuffer();
  return { rgb, width, height };
}

async function readSamples(options: { ffmpeg: string; path: string; cwd: string }): Promise<Buffer<ArrayBuffer>> {
  const output = await runProgram({
    path: options.ffmpeg,
    args: [
      ...['-nostdin', '-v', 'error', ...FFMPEG_READ_OPTIONS, '-i', `file:${options.path}`, '-map', '0:a:0'],
      ...['-t', `${MAX_SECONDS + 1}`, '-ac', '1', '-ar', `${SAMPLE_RATE_HZ}`, '-f', 's16le', 'pipe:1'],
    ],
    cwd: options.cwd,
  }).catch(() => {
    throw new EngineRefusal('The recording cannot be read. Use MP3 or WAV.');
  });
  if (output.length === 0) throw new EngineRefusal('The recording is empty.');
  if (output.length > (MAX_SECONDS + SLACK_SECONDS) * SAMPLE_RATE_HZ * BYTES_PER_SAMPLE) {
    throw new EngineRefusal(`The recording is too long. The limit is ${MAX_SECONDS} seconds.`);
  }
  return Buffer.from(Uint8Array.from(output).buffer);
}
