import { EngineRefusal } from '../engine.ts';

export type Accompaniment =
  | 'pad'
  | 'eighths'
  | 'sixteenths'
  | 'blocks'
  | 'offbeat'
  | 'strum'
  | 'comp'
  | 'power'
  | 'bossa'
  | 'pulse';
export type BassLine = 'roots' | 'fifths' | 'eighths' | 'octaves' | 'walking' | 'bossa' | 'held';

/** The definition of a style. Programs are General MIDI, counted from 0. Drum lines have sixteen steps per bar. */
export interface Style {
  /** Words of a prompt that select it. */
  readonly words: readonly string[];
  readonly beatsPerMinute: readonly [number, number];
  readonly scale: readonly number[];
  /** Four bars each, as steps of the scale counted from 0; the first serves the verse, the second the contrast. */
  readonly progressions: ReadonlyArray<readonly [readonly number[], readonly number[]]>;
  readonly sevenths: boolean;
  readonly lead: number;
  readonly leadRegister: number;
  /** How many notes a bar of melody has, roughly: 2 calm to 8 busy. */
  readonly leadBusy: number;
  readonly chords: { readonly programme: number; readonly way: Accompaniment };
  readonly pad?: number;
  readonly bass: { readonly programme: number; readonly line: BassLine };
  readonly drums?: Readonly<Record<string, string>>;
  /** How late the second eighth comes, in beats. */
  readonly swing: number;
  readonly reverb: number;
}

const words = (list: string): readonly string[] => list.split(' ');

/** Verse and contrast, one digit a bar; several of them to choose from. */
function progressions(list: string): Style['progressions'] {
  return list.split(' | ').map((pair) => {
    const [verse = '', contrast = ''] = pair.split('/');
    return [[...verse].map(Number), [...contrast].map(Number)] as const;
  });
}

const MAJOR = [0, 2, 4, 5, 7, 9, 11];
const MINOR = [0, 2, 3, 5, 7, 8, 10];
const DORIAN = [0, 2, 3, 5, 7, 9, 10];
const LYDIAN = [0, 2, 4, 6, 7, 9, 11];
const HARMONIC = [0, 2, 3, 5, 7, 8, 11];

export const styles = {
  ambient: {
    words: words('ambient calm relaxing relax meditation meditative peaceful dreamy sleep spa serene soothing'),
    beatsPerMinute: [62, 76],
    scale: LYDIAN,
    sevenths: true,
    progressions: progressions('0453/3045 | 0254/5304'),
    lead: 11,
    leadRegister: 74,
    leadBusy: 2,
    chords: { programme: 46, way: 'eighths' },
    pad: 89,
    bass: { programme: 39, line: 'held' },
    swing: 0,
    reverb: 110,
  },
  pop: {
    words: words('pop happy upbeat cheerful joyful fun bright sunny positive summer party'),
    beatsPerMinute: [108, 124],
    scale: MAJOR,
    sevenths: false,
    progressions: progressions('0453/3454 | 0534/5304'),
    lead: 80,
    leadRegister: 72,
    leadBusy: 5,
    chords: { programme: 0, way: 'offbeat' },
    pad: 50,
    bass: { programme: 33, line: 'eighths' },
    drums: {
      kick: 'x...x...x...x...',
      snare: '....x.......x...',
      clap: '....x.......x...',
      hat: '..x...x...x...x.',
      shaker: 'xxxxxxxxxxxxxxxx',
    },
    swing: 0,
    reverb: 50,
  },
  cinematic: {
    words: words('cinematic epic trailer heroic orchestral orchestra dramatic battle adventure majestic film'),
    beatsPerMinute: [84, 100],
    scale: MINOR,
    sevenths: false,
    progressions: progressions('0526/5604 | 0356/3560'),
    lead: 60,
    leadRegister: 65,
    leadBusy: 3,
    chords: { programme: 48, way: 'pulse' },
    pad: 52,
    bass: { programme: 43, line: 'eighths' },
    drums: { lowTom: 'x..x..x.x..x..x.', kick: 'x.......x.......', crash: 'x...............' },
    swing: 0,
    reverb: 100,
  },
  ballad: {
    words: words('ballad sad melancholic melancholy emotional piano romantic tender nostalgic love sorrow'),
    beatsPerMinute: [66, 80],
    scale: MINOR,
    sevenths: false,
    progressions: progressions('0526/3624 | 0362/5260'),
    lead: 0,
    leadRegister: 74,
    leadBusy: 4,
    chords: { programme: 0, way: 'eighths' },
    pad: 49,
    bass: { programme: 42, line: 'held' },
    swing: 0,
    reverb: 85,
  },
  jazz: {
    words: words('jazz swing jazzy club lounge smooth saxophone sax blues'),
    beatsPerMinute: [116, 140],
    scale: MAJOR,
    sevenths: true,
    progressions: progressions('1405/3625 | 0514/2514'),
    lead: 66,
    leadRegister: 65,
    leadBusy: 6,
    chords: { programme: 0, way: 'comp' },
    bass: { programme: 32, line: 'walking' },
    drums: { ride: 'x...x..xx...x..x', pedal: '....x.......x...', kick: 'x...............', rim: '..............x.' },
    swing: 0.17,
    reverb: 55,
  },
  synthwave: {
    words: words('synthwave electronic electro techno retro eighties neon cyberpunk dance edm house synth'),
    beatsPerMinute: [104, 118],
    scale: MINOR,
    sevenths: false,
    progressions: progressions('0526/3566 | 0656/5602'),
    lead: 81,
    leadRegister: 72,
    leadBusy: 4,
    chords: { programme: 90, way: 'sixteenths' },
    pad: 50,
    bass: { programme: 38, line: 'octaves' },
    drums: {
      kick: 'x...x...x...x...',
      snare: '....x.......x...',
      hat: '..x...x...x...x.',
      openHat: '..............x.',
    },
    swing: 0,
    reverb: 75,
  },
  lofi: {
    words: words('lofi chill chillhop study hiphop beats mellow laid cozy rainy'),
    beatsPerMinute: [74, 86],
    scale: DORIAN,
    sevenths: true,
    progressions: progressions('0362/5304 | 1400/3210'),
    lead: 11,
    leadRegister: 70,
    leadBusy: 3,
    chords: { programme: 4, way: 'comp' },
    bass: { programme: 33, line: 'fifths' },
    drums: { kick: 'x.....x...x.....', snare: '....x.......x...', hat: 'x.x.x.x.x.x.x.xx', shaker: '..x...x...x...x.' },
    swing: 0.1,
    reverb: 60,
  },
  rock: {
    words: words('rock guitar energetic powerful driving punk metal sport sports action intense'),
    beatsPerMinute: [122, 144],
    scale: MINOR,
    sevenths: false,
    progressions: progressions('0656/2634 | 0356/5600'),
    lead: 29,
    leadRegister: 67,
    leadBusy: 5,
    chords: { programme: 30, way: 'power' },
    bass: { programme: 34, line: 'eighths' },
    drums: { kick: 'x.....x.x.x.....', snare: '....x.......x...', hat: 'x.x.x.x.x.x.x.x.', crash: 'x...............' },
    swing: 0,
    reverb: 40,
  },
  folk: {
    words: words('folk acoustic country campfire rustic fingerpicking warm indie travel celtic'),
    beatsPerMinute: [92, 108],
    scale: MAJOR,
    sevenths: false,
    progressions: progressions('0304/5304 | 0534/3040'),
    lead: 73,
    leadRegister: 74,
    leadBusy: 5,
    chords: { programme: 25, way: 'strum' },
    bass: { programme: 32, line: 'fifths' },
    drums: { tambourine: '....x.......x...', kick: 'x.......x.......', shaker: 'x.x.x.x.x.x.x.x.' },
    swing: 0.04,
    reverb: 50,
  },
  bossa: {
    words: words('bossa nova latin brazilian samba tropical beach cafe coffee salsa'),
    beatsPerMinute: [116, 132],
    scale: MAJOR,
    sevenths: true,
    progressions: progressions('0114/3214 | 0514/3625'),
    lead: 73,
    leadRegister: 72,
    leadBusy: 4,
    chords: { programme: 24, way: 'bossa' },
    bass: { programme: 32, line: 'bossa' },
    drums: { rim: 'x..x..x...x..x..', kick: 'x..xx..xx..xx..x', shaker: 'xxxxxxxxxxxxxxxx' },
    swing: 0,
    reverb: 50,
  },
  chiptune: {
    words: words('chiptune 8bit bit arcade game videogame gaming pixel nintendo console'),
    beatsPerMinute: [132, 152],
    scale: MAJOR,
    sevenths: false,
    progressions: progressions('0453/3404 | 0634/5434'),
    lead: 80,
    leadRegister: 76,
    leadBusy: 7,
    chords: { programme: 80, way: 'sixteenths' },
    bass: { programme: 38, line: 'octaves' },
    drums: { kick: 'x...x...x...x.x.', snare: '....x.......x..x', hat: 'x.x.x.x.x.x.x.x.' },
    swing: 0,
    reverb: 20,
  },
  suspense: {
    words: words('suspense horror scary spooky dark mystery mysterious tense tension thriller creepy eerie'),
    beatsPerMinute: [72, 86],
    scale: HARMONIC,
    sevenths: false,
    progressions: progressions('0504/3104 | 0106/5404'),
    lead: 10,
    leadRegister: 79,
    leadBusy: 3,
    chords: { programme: 44, way: 'pad' },
    pad: 52,
    bass: { programme: 43, line: 'held' },
    drums: { lowTom: 'x.....x.........', kick: 'x...............' },
    swing: 0,
    reverb: 115,
  },
} as const satisfies Record<string, Style>;

export type StyleName = keyof typeof styles;
export const styleNames = Object.keys(styles) as StyleName[];

const VOICE_WORDS = /\b(?:sing|singing|singer|vocals?|lyrics|rap|choir song|song about)\b/i;

/** The requested style, or the one whose words occur most often in the prompt. */
export function chooseStyle(prompt: string, named: string | undefined): StyleName {
  if (VOICE_WORDS.test(prompt))
    throw new EngineRefusal('This model supports instrumental music only. Request music without vocals.');
  if (named !== undefined && named !== 'auto') return named as StyleName;
  const words = prompt
    .toLowerCase()
    .replaceAll(/8[- ]bit/g, '8bit')
    .replaceAll(/lo-?\s?fi/g, 'lofi')
    .replaceAll(/hip[- ]hop/g, 'hiphop')
    .split(/[^a-z0-9]+/);
  const scored = styleNames.map((name) => {
    const style: Style = styles[name];
    return {
      name,
      score: words.reduce((sum, word) => sum + (word === name ? 3 : style.words.includes(word) ? 1 : 0), 0),
    };
  });
  const best = scored.reduce((a, b) => (b.score > a.score ? b : a));
  if (best.score === 0) {
    throw new EngineRefusal(
      `The prompt names no supported style. Use one of: ${styleNames.join(', ')}; or a mood such as calm, happy, epic, sad, dark, energetic.`,
    );
  }
  return best.name;
}
