import type { Style } from './styles.ts';

/** One note; times in beats from the start of the piece. */
export interface Note {
  readonly pitch: number;
  readonly start: number;
  readonly beats: number;
  /** 0 to 1. */
  readonly force: number;
}

export interface Voice {
  /** General MIDI program, counted from 0; drums have none. */
  readonly programme: number;
  readonly drums: boolean;
  /** 0 to 127, the middle at 64. */
  readonly pan: number;
  readonly volume: number;
  readonly reverb: number;
  readonly notes: Note[];
}

export interface Score {
  readonly beatsPerMinute: number;
  readonly voices: readonly Voice[];
}

/** Duration of the last chord. */
export const RING_SECONDS = 2.6;
const BEATS_PER_BAR = 4;
const PHRASE_BARS = 4;
const MAX_BARS = 128;
/** Shorter pieces have no introduction. */
const SHORT_SECONDS = 16;

export type Part = 'intro' | 'verse' | 'variation' | 'contrast' | 'ending';

export interface Bar {
  readonly part: Part;
  /** Which bar of its phrase this is. */
  readonly at: number;
  /** The chord, as a step of the scale. */
  readonly chord: number;
}

export interface Form {
  readonly beatsPerMinute: number;
  readonly bars: readonly Bar[];
}

const ORDER: readonly Part[] = ['verse', 'variation', 'contrast', 'verse', 'contrast', 'variation'];

/** An introduction, phrases of four bars and an ending, at the tempo that fills the time exactly. */
export function planForm(style: Style, options: { seconds: number; progression: number }): Form {
  const playing = options.seconds - RING_SECONDS;
  const wanted = (style.beatsPerMinute[0] + style.beatsPerMinute[1]) / 2;
  const short = options.seconds < SHORT_SECONDS;
  let best = { intro: 0, body: 2, cadence: 0, beatsPerMinute: Number.POSITIVE_INFINITY };
  for (const intro of short ? [0] : [2, 4]) {
    for (const cadence of short ? [0, 1] : [1]) {
      for (let body = 2; body < MAX_BARS; body += 2) {
        // The last bar is the final chord: only its first beat counts.
        const beatsPerMinute = (((intro + body + cadence) * BEATS_PER_BAR + 1) * 60) / playing;
        const off = (speed: number) => Math.abs(Math.log(speed / wanted));
        if (off(beatsPerMinute) < off(best.beatsPerMinute)) best = { intro, body, cadence, beatsPerMinute };
      }
    }
  }
  const [verse, contrast] = style.progressions[options.progression % style.progressions.length]!;
  const bars: Bar[] = [];
  for (let at = 0; at < best.intro; at++) bars.push({ part: 'intro', at, chord: verse[at % PHRASE_BARS]! });
  for (let bar = 0; bar < best.body; bar++) {
    const part = ORDER[Math.floor(bar / PHRASE_BARS) % ORDER.length]!;
    // Half a phrase at the end uses the second half, which resolves.
    const half = best.body % PHRASE_BARS !== 0 && bar >= best.body - 2;
    const at = (bar % PHRASE_BARS) + (half ? 2 : 0);
    bars.push({ part, at, chord: (part === 'contrast' ? contrast : verse)[at]! });
  }
  if (best.cadence === 1) bars.push({ part: 'ending', at: 0, chord: 4 });
  bars.push({ part: 'ending', at: 1, chord: 0 });
  return { beatsPerMinute: best.beatsPerMinute, bars };
}

/** The pitch of a scale step; steps continue above and below the octave. */
export function pitchOf(style: Style, key: number, step: number): number {
  const octave = Math.floor(step / 7);
  return key + 12 * octave + style.scale[step - octave * 7]!;
}

/** The steps of a chord, root first. */
export function stepsOfChord(style: Style, root: number): number[] {
  return style.sevenths ? [root, root + 2, root + 4, root + 6] : [root, root + 2, root + 4];
}

/** The chord in close position, in the inversion nearest to the previous chord. */
export function voiceChord(style: Style, options: { key: number; root: number; around: number }): number[] {
  const pitches = stepsOfChord(style, options.root).map((step) => pitchOf(style, options.key, step));
  return pitches.map((pitch) => pitch + 12 * Math.round((options.around - pitch) / 12)).sort((a, b) => a - b);
}
