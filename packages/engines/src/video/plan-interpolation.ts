import { EngineRefusal } from '../engine.ts';
import { HELD_END, type PlanRequest, picture, sound, type VideoPlan } from './video-plan.ts';

/** A rise smaller than this shows nothing. */
const LEAST_RISE = 1.05;

/** More frames between those there are, by the motion of small blocks. */
export function planInterpolation({ facts, params }: PlanRequest): VideoPlan {
  const fps = Number(params['fps']);
  if (fps < facts.fps * LEAST_RISE) {
    const has = Math.round(facts.fps * 100) / 100;
    throw new EngineRefusal(`The video already has ${has} frames a second. Set fps above that.`);
  }
  const motion = `minterpolate=fps=${fps}:mi_mode=mci:mc_mode=aobmc:me_mode=bidir:vsbmc=1`;
  return {
    graph: `${picture(facts)},${HELD_END},${motion}[v]${sound(facts)}`,
    hasSound: facts.audioIndex !== null,
    seconds: facts.seconds,
  };
}
