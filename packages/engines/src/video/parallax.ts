import { join } from 'node:path';
import sharp from 'sharp';
import { type CreateEngine, EngineRefusal } from '../engine.ts';
import { writeFrames } from '../ffmpeg/frames.ts';
import { even } from '../ffmpeg/probe-video.ts';
import { toMp4 } from '../ffmpeg/video-encoding.ts';
import { openFiller } from '../image/open-filler.ts';
import { openMatter } from '../image/open-matter.ts';
import type { Picture } from '../image/picture.ts';
import { type CameraMoveName, cameraMoves, easePart, readMove } from './camera-moves.ts';
import { drawLayer, type Layer, separateLayers } from './layers.ts';

const MAX_SIDE_PX = 1_280;
const MIN_SIDE_PX = 64;
const FPS = 30;
const MAX_SECONDS = 8;
const SEPARATED = 0.3;

/** Animates a still image: the subject moves in front of an inpainted background. */
export const createEngine: CreateEngine = async (kit) => {
  const matter = await openMatter({ kit, model: 'silueta' });
  const filler = await openFiller({ kit });
  return {
    async run({ params, inputs, settings, dir }, report) {
      const [image] = inputs['image'] ?? [];
      if (image === undefined) throw new EngineRefusal('An image is required.');
      const name = chooseMove({ prompt: params.prompt, style: params.style ?? settings['style'] });
      const move = cameraMoves[name];
      const seconds = Math.min(MAX_SECONDS, Number(params.duration));
      const picture = await readStill(image);
      const { width, height } = picture;

      const isFlat = move(0).front === null;
      const { front, back } = isFlat
        ? { front: null, back: { bytes: picture.rgb, channels: 3, width, height } as Layer }
        : await separateLayers({ picture, matter, filler });
      report(SEPARATED);

      const path = join(dir, 'output.mp4');
      const frames = Math.round(seconds * FPS);
      async function* draw() {
        for (let index = 0; index < frames; index++) {
          const view = move(easePart(name, index / (frames - 1)));
          const frame = Buffer.allocUnsafe(width * height * 3);
          drawLayer(frame, back, view.back);
          if (front !== null && view.front !== null) drawLayer(frame, front, view.front);
          yield frame;
          report(SEPARATED + ((1 - SEPARATED) * (index + 1)) / frames);
        }
      }
      await writeFrames({
        ...{ ffmpeg: kit.program('ffmpeg'), cwd: dir, width, height, fps: FPS, pixels: 'rgb24', frames: draw() },
        args: toMp4({ path, threads: kit.threads, seconds, crf: 18 }),
      });
      return [{ path }];
    },
  };
};

function chooseMove({ prompt, style }: { prompt: unknown; style: unknown }): CameraMoveName {
  if (typeof prompt === 'string' && prompt.trim() !== '') return readMove(prompt);
  if (Object.hasOwn(cameraMoves, String(style))) return style as CameraMoveName;
  throw new Error(`unknown camera move in the catalog: ${String(style)}`);
}

/** Upright, without alpha, with even sides as video requires. */
async function readStill(path: string): Promise<Picture> {
  const { autoOrient } = await sharp(path).metadata();
  const shrink = Math.min(1, MAX_SIDE_PX / Math.max(autoOrient.width, autoOrient.height));
  const [width, height] = [even(autoOrient.width * shrink), even(autoOrient.height * shrink)];
  if (Math.min(width, height) < MIN_SIDE_PX) {
    throw new EngineRefusal(
      `The image is too small or too narrow. Each side must have at least ${MIN_SIDE_PX} pixels.`,
    );
  }
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
