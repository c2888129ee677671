import { EngineRefusal } from '../engine.ts';
import type { VideoFacts } from './probe-video.ts';
import { HELD_END, type PlanRequest, picture, sound, type VideoPlan } from './video-plan.ts';

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
