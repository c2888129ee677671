import { join } from 'node:path';
import type { ParamValues } from '@atelier/contract';
import sharp from 'sharp';
import { writeFrames } from '../ffmpeg/frames.ts';
import { parseAspect } from '../image/picture.ts';
import { openStudio } from '../mesh/render-scene.ts';
import type { SolidModel } from '../mesh/solid-model.ts';
import { type BackdropName, backdrops } from '../mesh/studio.ts';

/** The longer side of an image. */
const PICTURE_SIDES: Readonly<Record<string, number>> = { '512': 512, '1k': 1_024, '2k': 2_048 };
const YAW = 0.52;
const PITCH = 0.2;

/** One image of the model from its best angle. `style` is the backdrop. */
export async function photographModel(
  model: SolidModel,
  options: { params: ParamValues; dir: string },
): Promise<string> {
  const { params, dir } = options;
  const side = PICTURE_SIDES[String(params.resolution)] ?? 1_024;
  const ratio = parseAspect(params.aspect_ratio) ?? 1;
  const [width, height] = ratio >= 1 ? [side, Math.round(side / ratio)] : [Math.round(side * ratio), side];
  const backdrop = backdrops[params.style as BackdropName];
  const takePicture = openStudio(model, { width, height, yaw: YAW, pitch: PITCH, turning: false, backdrop });
  const picture = sharp(takePicture(0), { raw: { width, height, channels: 4 } });
  const path = join(dir, 'picture.png');
  await (backdrop ? picture.removeAlpha() : picture).png().toFile(path);
  return path;
}

const FRAMES_PER_SECOND = 24;
/** The shorter side of the video. */
const VIDEO_SIDES: Readonly<Record<string, number>> = { '360p': 360, '480p': 480, '720p': 720 };
const FIRST_TURN = -0.52;

/** One full rotation of the model, so that the video loops. `style` is the backdrop. */
export async function filmTurntable(
  model: SolidModel,
  options: { params: ParamValues; dir: string; ffmpegPath: string; report: (progress: number) => void },
): Promise<string> {
  const { params, report } = options;
  const side = VIDEO_SIDES[String(params.resolution)] ?? 480;
  const ratio = parseAspect(params.aspect_ratio) ?? 1;
  const even = (length: number) => Math.round(length / 2) * 2;
  const [width, height] = ratio >= 1 ? [even(side * ratio), side] : [side, even(side / ratio)];
  const backdrop = backdrops[params.style as BackdropName] ?? backdrops.white;
  const takePicture = openStudio(model, { width, height, yaw: 0, pitch: PITCH, turning: true, backdrop });
  const frames = Math.round(Number(params.duration ?? 4) * FRAMES_PER_SECOND);

  const path = join(options.dir, 'turntable.mp4');
  async function* turn() {
    for (let frame = 0; frame < frames; frame++) {
      yield takePicture(FIRST_TURN + (frame / frames) * 2 * Math.PI);
      report(0.02 + (0.96 * (frame + 1)) / frames);
    }
  }
  await writeFrames({
    ffmpeg: options.ffmpegPath,
    cwd: options.dir,
    width,
    height,
    fps: FRAMES_PER_SECOND,
    pixels: 'rgba',
    args: [
      ...['-an', '-c:v', 'libx264', '-preset', 'medium', '-crf', '17', '-pix_fmt', 'yuv420p'],
      ...['-movflags', '+faststart', path],
    ],
    frames: turn(),
  });
  return path;
}
