import { type Form, type Note, pitchOf, stepsOfChord, voiceChord } from './plan-form.ts';
import type { Accompaniment, Style } from './styles.ts';

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
