import { type Bar, type Form, type Note, pitchOf, stepsOfChord } from './plan-form.ts';
import type { Style } from './styles.ts';

/** Rhythms of one bar: the beats at which notes begin. The last number is where the last note ends. */
const RHYTHMS: Readonly<Record<'calm' | 'flowing' | 'busy', readonly (readonly number[])[]>> = {
  calm: [
    [0, 3, 4],
    [0, 2, 4],
    [0, 1.5, 4],
    [0, 2, 3, 4],
    [1, 2, 4],
  ],
  flowing: [
    [0, 1, 2, 3.5, 4],
    [0, 1.5, 2, 3, 4],
    [0, 0.5, 1, 2, 4],
    [0.5, 1, 1.5, 2.5, 4],
    [0, 1.5, 3, 4],
    [0, 1, 1.5, 2, 3, 4],
  ],
  busy: [
    [0, 0.5, 1, 1.5, 2, 3, 4],
    [0, 0.5, 1.5, 2, 2.5, 3.5, 4],
    [0.5, 1, 1.5, 2, 2.5, 3, 4],
    [0, 0.75, 1.5, 2, 2.5, 3, 3.5, 4],
    [0, 1, 1.5, 2.5, 3, 3.5, 4],
  ],
};
const LONG: readonly number[] = [0, 1.5, 4];
/** Half steps from the middle of its register at which the melody turns back. */
const REACH = 7;

interface Motif {
  readonly rhythms: readonly [readonly number[], readonly number[]];
  /** Movement in steps of the scale from each note to the next. */
  readonly moves: readonly number[];
}

/**
 * A motif of two bars and its answer: the answer keeps the rhythm, varies the line and resolves. The variation adds passing
 * notes; the contrast has its own, higher motif.
 */
export function writeMelody(style: Style, options: { form: Form; key: number; random: () => number }): Note[] {
  const { form, key, random } = options;
  const motifs = { main: makeMotif(style, random), contrast: makeMotif(style, random) };
  const notes: Note[] = [];
  let step = nearestChordStep({ style, key, chord: form.bars[0]!.chord, pitch: style.leadRegister });
  form.bars.forEach((bar, index) => {
    if (bar.part === 'intro') return;
    if (bar.part === 'ending') {
      if (bar.at === 0)
        addNote({
          pitch: pitchOf(
            style,
            key,
            nearestChordStep({ style, key, chord: bar.chord, pitch: pitchOf(style, key, step) }),
          ),
          start: index * 4,
          beats: 3.6,
        });
      else
        addNote({
          pitch: pitchOf(style, key, nearestTonic({ style, key, pitch: pitchOf(style, key, step) })),
          start: index * 4,
          beats: 6,
        });
      return;
    }
    const motif = bar.part === 'contrast' ? motifs.contrast : motifs.main;
    const centre = style.leadRegister + (bar.part === 'contrast' ? 4 : 0);
    if (bar.at % 2 === 0)
      step = nearestChordStep({
        style,
        key,
        chord: bar.chord,
        pitch: bar.at === 0 ? centre : pitchOf(style, key, step),
      });
    const resting = bar.at === 3;
    const rhythm = resting ? LONG : motif.rhythms[bar.at % 2]!;
    const offset = bar.at % 2 === 0 ? 0 : motif.rhythms[0].length - 1;
    for (let at = 0; at + 1 < rhythm.length; at++) {
      const [from, to] = [rhythm[at]!, rhythm[at + 1]!];
      if (resting) {
        // The second last note is a suspension one step above the last.
        if (at === 0) step = nearestChordStep({ style, key, chord: bar.chord, pitch: pitchOf(style, key, step) }) + 1;
        else step -= 1;
      } else if (at > 0 || bar.at % 2 === 1) {
        const planned = (bar.at >= 2 ? -1 : 1) * motif.moves[(offset + at) % motif.moves.length]!;
        const far = pitchOf(style, key, step) - centre;
        const move = far > REACH ? -Math.abs(planned) : far < -REACH ? Math.abs(planned) : planned;
        step += move;
        // Notes on strong beats belong to the chord; the line continues in its direction to the next chord tone.
        while (from % 2 === 0 && !isOfChord(style, bar.chord, step)) step += move < 0 ? -1 : 1;
      }
      const pitch = pitchOf(style, key, step);
      const beats = (to - from) * (style.leadBusy > 5 ? 0.85 : 0.95);
      const long = to - from >= 1 && !resting;
      if (bar.part === 'variation' && long && random() < 0.45) {
        addNote({ pitch, start: index * 4 + from, beats: beats / 2 });
        addNote({
          pitch: pitchOf(style, key, step + (random() < 0.5 ? 1 : -1)),
          start: index * 4 + from + (to - from) / 2,
          beats: beats / 2,
        });
      } else addNote({ pitch, start: index * 4 + from, beats });
    }
  });
  return notes;

  function addNote({ pitch, start, beats }: { pitch: number; start: number; beats: number }): void {
    const accent = start % 4 === 0 ? 0.1 : start % 1 === 0 ? 0.04 : 0;
    notes.push({ pitch, start, beats, force: 0.68 + accent + (random() - 0.5) * 0.08 });
  }
}

function makeMotif(style: Style, random: () => number): Motif {
  const bank = RHYTHMS[style.leadBusy <= 3 ? 'calm' : style.leadBusy <= 5 ? 'flowing' : 'busy'];
  const pick = () => bank[Math.floor(random() * bank.length)]!;
  const first = pick();
  const rhythms = [first, random() < 0.5 ? first : pick()] as const;
  const moves: number[] = [];
  let leapt = 0;
  for (let at = 0; at < 12; at++) {
    // After a leap the line turns back by a step.
    const move =
      leapt !== 0
        ? -Math.sign(leapt)
        : random() < 0.22
          ? (random() < 0.6 ? 1 : -1) * (2 + Math.floor(random() * 2))
          : random() < 0.12
            ? 0
            : random() < 0.55
              ? 1
              : -1;
    leapt = Math.abs(move) > 1 ? move : 0;
    moves.push(move);
  }
  return { rhythms, moves };
}

function isOfChord(style: Style, chord: number, step: number): boolean {
  const inOctave = (each: number) => ((each % 7) + 7) % 7;
  return stepsOfChord(style, chord).slice(0, 3).map(inOctave).includes(inOctave(step));
}

function nearestChordStep({
  style,
  key,
  chord,
  pitch,
}: {
  style: Style;
  key: number;
  chord: Bar['chord'];
  pitch: number;
}): number {
  return nearest(stepsOfChord(style, chord).slice(0, 3), style, key, pitch);
}

function nearestTonic({ style, key, pitch }: { style: Style; key: number; pitch: number }): number {
  return nearest([0], style, key, pitch);
}

function nearest(steps: readonly number[], style: Style, key: number, pitch: number): number {
  let best = steps[0]!;
  for (const each of steps) {
    for (let octave = -3; octave <= 5; octave++) {
      const step = each + octave * 7;
      if (Math.abs(pitchOf(style, key, step) - pitch) < Math.abs(pitchOf(style, key, best) - pitch)) best = step;
    }
  }
  return best;
}
