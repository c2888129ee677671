import { pitchOf, stepsOfChord } from './harmony.ts';
import type { Form } from './plan-form.ts';
import type { Note } from './score.ts';
import type { Style } from './styles.ts';

const LOWEST = 33;

export function writeBass(style: Style, options: { form: Form; key: number; random: () => number }): Note[] {
  const { form, key, random } = options;
  const notes: Note[] = [];
  const low = (step: number) => {
    const pitch = pitchOf(style, key, step);
    return LOWEST + ((((pitch - LOWEST) % 12) + 12) % 12);
  };
  form.bars.forEach((bar, index) => {
    if (bar.part === 'intro' && bar.at < 2 && style.bass.line !== 'held') return;
    const [root, third, fifth] = stepsOfChord(style, bar.chord).map(low) as [number, number, number];
    const next = low(form.bars[index + 1]?.chord ?? 0);
    const add = (pitch: number, at: number, beats: number, force = 0.74) =>
      notes.push({ pitch, start: index * 4 + at, beats, force: force + (random() - 0.5) * 0.06 });
    if (bar.part === 'ending' && bar.at === 1) {
      add(root, 0, 6);
      return;
    }
    switch (style.bass.line) {
      case 'held':
        add(root, 0, 3.9, 0.6);
        break;
      case 'roots':
        add(root, 0, 1.9);
        add(root, 2, 1.9);
        break;
      case 'fifths':
        add(root, 0, 1.4);
        add(root, 1.5, 0.4, 0.6);
        add(fifth, 2, 1.4);
        add(approach(root, next), 3.5, 0.45, 0.6);
        break;
      case 'eighths':
        for (let at = 0; at < 4; at += 0.5)
          add(at === 3.5 ? approach(root, next) : root, at, 0.45, at % 1 === 0 ? 0.76 : 0.64);
        break;
      case 'octaves':
        for (let at = 0; at < 4; at += 0.5) add(root + (at % 1 === 0 ? 0 : 12), at, 0.42, at % 1 === 0 ? 0.76 : 0.66);
        break;
      case 'walking':
        add(root, 0, 0.92);
        add(random() < 0.5 ? third : fifth, 1, 0.92);
        add(random() < 0.5 ? fifth : third, 2, 0.92);
        add(approach(root, next), 3, 0.92);
        break;
      case 'bossa':
        add(root, 0, 1.4);
        add(fifth, 1.5, 0.45, 0.66);
        add(fifth, 2, 1.4);
        add(root, 3.5, 0.45, 0.66);
        break;
    }
  });
  return notes;
}

/** A half step from the next root, on the side of the current note. */
function approach(from: number, to: number): number {
  return from === to ? from : from < to ? to - 1 : to + 1;
}
