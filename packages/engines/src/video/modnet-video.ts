import { join } from 'node:path';
import type { ParamValues } from '@atelier/contract';
import { type CreateEngine, EngineRefusal } from '../engine.ts';
import { readFrames, writeFrames } from '../ffmpeg/frames.ts';
import { even, probeVideo, type VideoFacts } from '../ffmpeg/probe-video.ts';
import { fromUpload, toAlphaWebm, toMp4 } from '../ffmpeg/video-encoding.ts';
import { openMatter } from '../image/open-matter.ts';
import { joinAlpha } from '../image/picture.ts';
import { createAlphaSmoother } from './create-alpha-smoother.ts';

const MAX_SIDE_PX = 1_280;
const MAX_FPS = 30;
const NET_SIDE_PX = 320;
/** The person must fill at least this share of one frame. */
const LEAST_SHARE = 0.02;

const BACKGROUNDS: Readonly<Record<string, readonly [number, number, number]>> = {
  green: [0, 177, 64],
  blue: [0, 71, 187],
  white: [255, 255, 255],
  grey: [128, 128, 128],
  black: [0, 0, 0],
};

/** Removes the background of people, frame by frame: transparent as WebM, or over one colour as MP4. */
export const createEngine: CreateEngine = async (kit) => {
  const [ffmpeg, ffprobe] = [kit.program('ffmpeg'), kit.program('ffprobe')];
  const matter = await openMatter({ kit, model: 'modnet', side: NET_SIDE_PX });
  return {
    async run({ params, inputs, dir }, report) {
      const [video] = inputs['video'] ?? [];
      if (video === undefined) throw new EngineRefusal('A video is required.');
      const facts = await probeVideo({ ffprobe, path: video, cwd: dir });
      const size = fitFrame(facts);
      const fps = Math.min(MAX_FPS, facts.fps);
      const frames = Math.max(1, Math.round(facts.seconds * fps));
      const over = chooseBackground(params);
      const { path, args } = outputOf({ dir, facts, video, over, threads: kit.threads });
      const smooth = createAlphaSmoother(size);
      let [done, most] = [0, 0];
      async function* cut() {
        const source = { ffmpeg, path: video!, videoIndex: facts.videoIndex, ...size, fps, cwd: dir };
        for await (const rgb of readFrames(source)) {
          const alpha = smooth(rgb, await matter({ rgb, ...size }));
          most = Math.max(most, shareOf(alpha));
          yield over === null ? joinAlpha(rgb, alpha) : layOver({ rgb, alpha, colour: over });
          done++;
          report(Math.min(1, done / frames));
        }
      }
      const pixels = over === null ? 'rgba' : 'rgb24';
      await writeFrames({ ffmpeg, cwd: dir, ...size, fps, pixels, args, frames: cut() });
      if (most < LEAST_SHARE) throw new EngineRefusal('No person found in the video. Use a video of a person.');
      return [{ path }];
    },
  };
};

function fitFrame({ width, height }: VideoFacts): { width: number; height: number } {
  const shrink = Math.min(1, MAX_SIDE_PX / Math.max(width, height));
  return { width: even(width * shrink), height: even(height * shrink) };
}

/** Null for a transparent video. */
function chooseBackground({ format, palette }: ParamValues): readonly [number, number, number] | null {
  if (format === 'webm') return null;
  const colour = BACKGROUNDS[String(palette)];
  if (colour === undefined)
    throw new EngineRefusal(`The palette must be one of ${Object.keys(BACKGROUNDS).join(', ')}.`);
  return colour;
}

function outputOf(options: {
  dir: string;
  facts: VideoFacts;
  video: string;
  over: readonly number[] | null;
  threads: number;
}): { path: string; args: string[] } {
  const { dir, facts, video, over, threads } = options;
  const { audioIndex, seconds } = facts;
  const sound = audioIndex === null ? [] : fromUpload(video);
  const maps = ['-map', '0:v', ...(audioIndex === null ? [] : ['-map', `1:${audioIndex}`])];
  const path = join(dir, over === null ? 'output.webm' : 'output.mp4');
  const encode = over === null ? toAlphaWebm : toMp4;
  return { path, args: [...sound, ...maps, ...encode({ path, threads, seconds })] };
}

function shareOf(alpha: Buffer): number {
  let sum = 0;
  for (const value of alpha) sum += value;
  return sum / 255 / alpha.length;
}

function layOver(options: { rgb: Buffer; alpha: Buffer; colour: readonly [number, number, number] }): Buffer {
  const { rgb, alpha, colour } = options;
  const frame = Buffer.allocUnsafe(rgb.length);
  for (let i = 0; i < alpha.length; i++) {
    const part = alpha[i]! / 255;
    for (let c = 0; c < 3; c++) frame[i * 3 + c] = rgb[i * 3 + c]! * part + colour[c]! * (1 - part) + 0.5;
  }
  return frame;
}
