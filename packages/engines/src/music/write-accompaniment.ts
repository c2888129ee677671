import { pitchOf, voiceChord } from './harmony.ts';
import type { Form } from './plan-form.ts';
import type { Note } from './score.ts';
import type { Accompaniment, Style } from './styles.ts';

const CHORDS_AROUND = 60;

/** Where chords are struck within a bar, and for how long; patterns that break chords are written out below. */
const STRUCK: Partial<Record<Accompaniment, ReadonlyArray<readonly [start: number, beats: number]>>> = {
  pad: [[0, 3.95]],
  blocks: [
    [0, 1.9],
    [2, 1.9],
  ],
  offbeat: [
    [0.5, 0.4],
    [1.5, 0.4],
    [2.5, 0.4],
    [3.5, 0.4],
  ],
  strum: [
    [0, 0.9],
    [1, 0.45],
    [1.5, 0.45],
    [2.5, 0.45],
    [3, 0.45],
    [3.5, 0.45],
  ],
  comp: [
    [0, 1.3],
    [1.5, 0.5],
    [3.5, 0.4],
  ],
  bossa: [
    [0, 0.9],
    [1.5, 0.9],
    [3, 0.5],
    [3.5, 0.4],
  ],
};

/** What the chord instrument plays: struck, broken or pulsing. */
export function writeAccompaniment(style: Style, options: { form: Form; key: number; random: () => number }): Note[] {
  const { form, key, random } = options;
  const { way } = style.chords;
  const notes: Note[] = [];
  form.bars.forEach((bar, index) => {
    const start = index * 4;
    const chord = voiceChord(style, { key, root: bar.chord, around: CHORDS_AROUND });
    const add = (pitch: number, at: number, beats: number, force: number): void => {
      notes.push({ pitch, start: start + at, beats, force: force + (random() - 0.5) * 0.06 });
    };
    if (bar.part === 'ending' && bar.at === 1) {
      for (const [at, pitch] of chord.entries()) add(pitch, at * 0.06, 6, 0.6);
      return;
    }
    const struck = STRUCK[way];
    if (struck) {
      for (const [at, beats] of struck) {
        // A strum runs over the strings.
        for (const [string, pitch] of chord.entries())
          add(pitch, at + (way === 'strum' ? string * 0.025 : 0), beats, at % 2 === 0 ? 0.6 : 0.5);
      }
    } else if (way === 'power') {
      const root = pitchOf(style, key, bar.chord) - 12;
      const low = root < 40 ? root + 12 : root;
      for (let at = 0; at < 4; at += 0.5)
        for (const above of [0, 7, 12]) add(low + above, at, at === 0 ? 0.48 : 0.4, at % 2 === 0 ? 0.72 : 0.58);
    } else if (way === 'pulse') {
      for (let at = 0; at < 4; at += 0.5) for (const pitch of chord) add(pitch, at, 0.4, at % 1.5 === 0 ? 0.66 : 0.5);
    } else {
      const step = way === 'sixteenths' ? 0.25 : 0.5;
      const climb = [...chord, chord[0]! + 12];
      const order = [...climb, ...climb.slice(1, -1).reverse()];
      for (let at = 0; at < 4; at += step) {
        const pitch = order[Math.round(at / step) % order.length]!;
        add(pitch, at, way === 'sixteenths' ? step * 0.9 : step * 2.2, at % 1 === 0 ? 0.55 : 0.45);
      }
    }
  });
  return notes;
}

/** Long chords below everything else. */
export function writePad(style: Style, options: { form: Form; key: number }): Note[] {
  return options.form.bars.flatMap((bar, index) => {
    const last = bar.part === 'ending' && bar.at === 1;
    const chord = voiceChord(style, { key: options.key, root: bar.chord, around: CHORDS_AROUND - 3 });
    return chord.map((pitch) => ({ pitch, start: index * 4, beats: last ? 6 : 4.05, force: 0.48 }));
  });
}
