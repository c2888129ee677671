import { type VideoEffectName, videoEffects } from './video-effects.ts';
import { type PlanRequest, picture, sound, type VideoPlan } from './video-plan.ts';

/** One of the predefined looks: the preset of the effect or route, otherwise the param. */
export function planEffect({ facts, params, settings }: PlanRequest): VideoPlan {
  const name = String(settings['preset'] ?? params['effect']);
  if (!Object.hasOwn(videoEffects, name)) throw new Error(`unknown video effect in the catalog: ${name}`);
  return {
    graph: `${picture(facts)},${videoEffects[name as VideoEffectName](facts)}[v]${sound(facts)}`,
    hasSound: facts.audioIndex !== null,
    seconds: facts.seconds,
  };
}
