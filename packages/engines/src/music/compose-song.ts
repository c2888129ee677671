import { seededRandom } from '../seeded-random.ts';
import { type Note, planForm, type Score, type Voice } from './plan-form.ts';
import { type Style, type StyleName, styles } from './styles.ts';
import { writeAccompaniment, writeBass, writeDrums, writePad } from './write-accompaniment.ts';
import { writeMelody } from './write-melody.ts';

const KEYS = [55, 57, 58, 60, 62, 63, 65];

/** Composes a piece in a style for the given number of seconds. The same seed produces the same piece. */
export function composeSong(name: StyleName, options: { seconds: number; seed: number }): Score {
  const style: Style = styles[name];
  const random = seededRandom(options.seed);
  const key = KEYS[Math.floor(random() * KEYS.length)]!;
  const form = planForm(style, {
    seconds: options.seconds,
    progression: Math.floor(random() * style.progressions.length),
  });
  const { reverb } = style;
  const play = (
    programme: number,
    notes: readonly Note[],
    mix: { pan?: number; volume: number; drums?: boolean; dry?: boolean },
  ): Voice => ({
    programme,
    drums: mix.drums ?? false,
    pan: mix.pan ?? 64,
    volume: mix.volume,
    reverb: mix.dry === true ? Math.round(reverb / 3) : reverb,
    notes: notes.map((note) => swing(note, style.swing)),
  });
  const voices = [
    play(style.lead, writeMelody(style, { form, key, random }), { volume: 104, pan: 68 }),
    play(style.chords.programme, writeAccompaniment(style, { form, key, random }), {
      volume: style.chords.way === 'power' ? 66 : 82,
      pan: 48,
    }),
    play(style.bass.programme, writeBass(style, { form, key, random }), { volume: 100, dry: true }),
    ...(style.pad === undefined ? [] : [play(style.pad, writePad(style, { form, key }), { volume: 62, pan: 80 })]),
    ...(style.drums === undefined
      ? []
      : [play(0, writeDrums(style, { form, random }), { volume: 96, drums: true, dry: true })]),
  ];
  return { beatsPerMinute: form.beatsPerMinute, voices };
}

/** Swing: off-beat eighths are delayed. */
function swing(note: Note, by: number): Note {
  const off = note.start % 1;
  return off >= 0.45 && off <= 0.8 ? { ...note, start: note.start + by } : note;
}
