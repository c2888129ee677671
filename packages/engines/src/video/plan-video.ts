import { EngineRefusal } from '../engine.ts';
import { even, type VideoFacts } from '../ffmpeg/probe-video.ts';
import { type VideoEffectName, videoEffects } from './video-effects.ts';

/** The ffmpeg plan of a task. The filter graph ends in [v], and in [a] if there is audio. */
export interface VideoPlan {
  readonly graph: string;
  readonly hasSound: boolean;
  readonly seconds: number;
  /** Options before the clip's input, such as the number of loops. */
  readonly before?: readonly string[];
}

export interface PlanRequest {
  readonly facts: VideoFacts;
  readonly params: Readonly<Record<string, unknown>>;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Padding for filters that look ahead and drop the last frames. */
export const HELD_END = 'tpad=stop_mode=clone:stop_duration=0.5';

/** The normalized video of the clip: display size, square pixels, constant frame rate. */
export function picture(facts: VideoFacts, size: { width: number; height: number } = facts): string {
  const { videoIndex, fps } = facts;
  return `[0:${videoIndex}]scale=${size.width}:${size.height}:flags=bicubic,setsar=1,fps=${fps},format=yuv420p`;
}

/** The unchanged audio of the clip. */
export function sound({ audioIndex }: VideoFacts): string {
  return audioIndex === null ? '' : `;[0:${audioIndex}]aresample=48000,apad[a]`;
}

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

const MAX_SLOWDOWN = 4;
const MIN_TEMPO = 0.5;
/** Frame rate at which slow motion still looks smooth. */
const SLOW_FPS = 30;
/** Reversing a clip keeps all its frames in memory. */
const MAX_HELD_BYTES = 1_200_000_000;
const BYTES_PER_PIXEL = 1.5;
const SLACK_SECONDS = 0.1;

/** Extends a clip with its own frames: repeated, back and forth, or slower. */
export function planExtension({ facts, params }: PlanRequest): VideoPlan {
  const seconds = Number(params['duration']);
  if (seconds < facts.seconds + SLACK_SECONDS) {
    const lasts = Math.round(facts.seconds * 10) / 10;
    throw new EngineRefusal(`The video is already ${lasts} seconds long. Set a longer duration.`);
  }
  const rounds = Math.ceil(seconds / facts.seconds);
  switch (params['style']) {
    case 'loop':
      return {
        graph: `${picture(facts)}[v]${sound(facts)}`,
        hasSound: facts.audioIndex !== null,
        before: ['-stream_loop', `${rounds - 1}`],
        seconds,
      };
    case 'ping-pong':
      return { ...toAndFro({ facts, rounds }), seconds };
    case 'slow':
      return slowed({ facts, seconds });
    default:
      throw new EngineRefusal('The style must be loop, ping-pong or slow.');
  }
}

function toAndFro({ facts, rounds }: { facts: VideoFacts; rounds: number }): Omit<VideoPlan, 'seconds'> {
  const frames = 2 * Math.ceil(facts.seconds * facts.fps);
  if (frames * facts.width * facts.height * BYTES_PER_PIXEL > MAX_HELD_BYTES) {
    throw new EngineRefusal(
      'The video is too long to reverse at this size. Use a shorter or smaller video, or the style loop.',
    );
  }
  const cycle = 'split[to][fro];[fro]reverse[back];[to][back]concat=n=2:v=1';
  return {
    graph: `${picture(facts)},${cycle},loop=loop=${rounds}:size=${frames}[v]${repeatedSound(facts, rounds)}`,
    hasSound: facts.audioIndex !== null,
  };
}

/** Audio is never reversed: it starts again. */
function repeatedSound({ audioIndex, seconds }: VideoFacts, rounds: number): string {
  if (audioIndex === null) return '';
  const samples = Math.round(seconds * 48_000);
  return `;[0:${audioIndex}]aresample=48000,apad,atrim=end_sample=${samples},aloop=loop=${rounds}:size=${samples}[a]`;
}

function slowed({ facts, seconds }: { facts: VideoFacts; seconds: number }): VideoPlan {
  const factor = seconds / facts.seconds;
  if (factor > MAX_SLOWDOWN) {
    const most = Math.floor(facts.seconds * MAX_SLOWDOWN);
    throw new EngineRefusal(
      `The video can be slowed down at most ${MAX_SLOWDOWN} times. Set a duration of at most ${most}.`,
    );
  }
  const graph = `${picture(facts)},setpts=${factor.toFixed(6)}*PTS,${HELD_END},minterpolate=fps=${SLOW_FPS}:mi_mode=blend[v]`;
  const tempo = 1 / factor;
  const stages = tempo < MIN_TEMPO ? [MIN_TEMPO, tempo / MIN_TEMPO] : [tempo];
  const chain = stages.map((each) => `atempo=${each.toFixed(6)}`).join(',');
  const slowSound = facts.audioIndex === null ? '' : `;[0:${facts.audioIndex}]aresample=48000,${chain},apad[a]`;
  return { graph: graph + slowSound, hasSound: facts.audioIndex !== null, seconds };
}

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
