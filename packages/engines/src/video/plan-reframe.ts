import { EngineRefusal } from '../engine.ts';
import { even } from './probe-video.ts';
import { type PlanRequest, picture, sound, type VideoPlan } from './video-plan.ts';

const MAX_SIDE_PX = 1_920;
/** The blur behind the image, relative to the frame's longer side. */
const BLUR = 0.025;

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Changes the aspect ratio: crops, or places the image over a blurred copy or over black. */
export function planReframe({ facts, params }: PlanRequest): VideoPlan {
  const ratio = readRatio(params['aspect_ratio']);
  const style = params['style'];
  const frame = frameOf({ facts, ratio, isCut: style === 'crop' });
  const { width, height } = frame;
  const inside = `scale=${width}:${height}:force_original_aspect_ratio=decrease:force_divisible_by=2`;
  const around = `scale=${width}:${height}:force_original_aspect_ratio=increase,crop=${width}:${height}`;
  const sigma = Math.max(4, Math.max(width, height) * BLUR).toFixed(1);
  const graphs: Record<string, string> = {
    crop: `${picture(facts)},${around}[v]`,
    pad: `${picture(facts)},${inside},pad=${width}:${height}:(ow-iw)/2:(oh-ih)/2:black[v]`,
    blur:
      `${picture(facts)},split[back][front];[back]${around},gblur=sigma=${sigma}:steps=2,eq=brightness=-0.08[soft];` +
      `[front]${inside}[sharp];[soft][sharp]overlay=(W-w)/2:(H-h)/2:format=yuv420[v]`,
  };
  const graph = graphs[String(style)];
  if (graph === undefined) throw new EngineRefusal('The style must be crop, blur or pad.');
  return { graph: graph + sound(facts), hasSound: facts.audioIndex !== null, seconds: facts.seconds };
}

function readRatio(given: unknown): number {
  const [across = 0, down = 0] = String(given).split(':').map(Number);
  if (!(across > 0 && down > 0))
    throw new EngineRefusal('Unsupported aspect_ratio. Use one of the listed values, such as 9:16.');
  return across / down;
}

/** The largest frame of this aspect ratio inside the image, or the smallest around it. */
export function frameOf(options: { facts: Size; ratio: number; isCut: boolean }): Size {
  const { facts, ratio, isCut } = options;
  const isWider = ratio > facts.width / facts.height;
  const byHeight = isWider !== isCut;
  const width = byHeight ? facts.height * ratio : facts.width;
  const height = byHeight ? facts.height : facts.width / ratio;
  const shrink = Math.min(1, MAX_SIDE_PX / Math.max(width, height));
  return { width: even(width * shrink), height: even(height * shrink) };
}
