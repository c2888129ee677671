import { EngineRefusal } from '../engine.ts';
import { type PlanRequest, picture, type VideoPlan } from './video-plan.ts';

const FADE_SECONDS = 0.4;
/** The usual loudness of web video. */
const LOUDNESS = 'loudnorm=I=-16:TP=-1.5:LRA=11,aresample=48000';
/** How much the clip's own audio is lowered below the new one. */
const OWN_LEVEL = 0.7;

/** Adds the audio of the second input: replaces the clip's own or mixes with it; normalized either way. */
export function planAddedAudio({ facts, params }: PlanRequest): VideoPlan {
  const style = params['style'];
  if (style !== 'replace' && style !== 'mix') throw new EngineRefusal('The style must be replace or mix.');
  const fade = `afade=t=out:st=${Math.max(0, facts.seconds - FADE_SECONDS).toFixed(3)}:d=${FADE_SECONDS}`;
  const added = `[1:a:0]aresample=48000,aformat=channel_layouts=stereo,apad,atrim=end=${facts.seconds.toFixed(3)},${fade}`;
  const isMixed = style === 'mix' && facts.audioIndex !== null;
  const both =
    `${added}[new];[0:${facts.audioIndex}]aresample=48000,aformat=channel_layouts=stereo,volume=${OWN_LEVEL}[own];` +
    `[new][own]amix=inputs=2:duration=first:normalize=0,${LOUDNESS}[a]`;
  return {
    graph: `${picture(facts)}[v];${isMixed ? both : `${added},${LOUDNESS}[a]`}`,
    hasSound: true,
    seconds: facts.seconds,
  };
}
