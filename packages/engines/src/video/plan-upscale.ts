import { type PlanRequest, picture, sound, type VideoPlan } from './video-plan.ts';

const SHARPNESS = 0.5;

/** Enlarges by resampling and contrast-adaptive sharpening. Adds no new detail. */
export function planUpscale({ facts, params }: PlanRequest): VideoPlan {
  const factor = Number(params['upscale_factor'] ?? 2);
  const larger = `scale=${facts.width * factor}:${facts.height * factor}:flags=lanczos,cas=${SHARPNESS}`;
  return {
    graph: `${picture(facts)},${larger}[v]${sound(facts)}`,
    hasSound: facts.audioIndex !== null,
    seconds: facts.seconds,
  };
}
