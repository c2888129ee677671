import type { Form } from './plan-form.ts';
import type { Note } from './score.ts';
import type { Style } from './styles.ts';

/** General MIDI's drum keys. */
const KEYS: Readonly<Record<string, number>> = {
  kick: 36,
  rim: 37,
  snare: 38,
  clap: 39,
  lowTom: 41,
  hat: 42,
  pedal: 44,
  midTom: 47,
  openHat: 46,
  highTom: 50,
  crash: 49,
  ride: 51,
  tambourine: 54,
  shaker: 70,
};
const FORCES: Readonly<Record<string, number>> = {
  kick: 0.82,
  snare: 0.78,
  clap: 0.55,
  hat: 0.5,
  shaker: 0.3,
  ride: 0.52,
  rim: 0.55,
  crash: 0.6,
  lowTom: 0.78,
};
const FILL: ReadonlyArray<readonly [name: string, at: number]> = [
  ['snare', 3],
  ['snare', 3.25],
  ['highTom', 3.5],
  ['lowTom', 3.75],
];

/** The style's pattern, thinner in the introduction, with a fill before each new phrase. */
export function writeDrums(style: Style, options: { form: Form; random: () => number }): Note[] {
  const { form, random } = options;
  const pattern = style.drums;
  if (pattern === undefined) return [];
  const notes: Note[] = [];
  form.bars.forEach((bar, index) => {
    const start = index * 4;
    const hit = (name: string, at: number, force = FORCES[name] ?? 0.6) =>
      notes.push({ pitch: KEYS[name]!, start: start + at, beats: 0.2, force: force * (0.93 + 0.14 * random()) });
    if (bar.part === 'ending' && bar.at === 1) {
      hit('kick', 0);
      hit('crash', 0, 0.62);
      return;
    }
    const next = form.bars[index + 1];
    const fills = 'snare' in pattern && bar.part !== 'intro' && next !== undefined && next.at === 0;
    for (const [name, line] of Object.entries(pattern)) {
      if (bar.part === 'intro' && !['hat', 'shaker', 'ride', 'tambourine', 'lowTom'].includes(name)) continue;
      if (name === 'crash' && !(bar.at === 0 && bar.part !== 'ending')) continue;
      [...line].forEach((mark, step) => {
        if (mark !== 'x' || (fills && step >= 12 && name !== 'kick')) return;
        hit(name, step / 4, (FORCES[name] ?? 0.6) * (step % 4 === 0 ? 1 : 0.86));
      });
    }
    if (fills) for (const [name, at] of FILL) hit(name, at);
  });
  return notes;
}
