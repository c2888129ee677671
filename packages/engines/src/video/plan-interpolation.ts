import { EngineRefusal } from '../engine.ts';
import { HELD_END, type PlanRequest, picture, sound, type VideoPlan } from './video-plan.ts';

/** A smaller increase is not visible. */
const LEAST_RISE = 1.05;

/** Inserts frames between the existing ones by block motion estimation. */
export function planInterpolation({ facts, params }: PlanRequest): VideoPlan {
  const fps = Number(params['fps']);
  if (fps < facts.fps * LEAST_RISE) {
    const has = Math.round(facts.fps * 100) / 100;
    throw new EngineRefusal(`The video already has ${has} frames per second. Set a higher fps.`);
  }
  const motion = `minterpolate=fps=${fps}:mi_mode=mci:mc_mode=aobmc:me_mode=bidir:vsbmc=1`;
  return {
    graph: `${picture(facts)},${HELD_END},${motion}[v]${sound(facts)}`,
    hasSound: facts.audioIndex !== null,
    seconds: facts.seconds,
  };
}
