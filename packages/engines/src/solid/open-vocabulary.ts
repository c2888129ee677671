import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EngineRefusal } from '../engine.ts';
import { isPlainIcon } from './read-icon.ts';

/** Common names of objects whose drawing has a different name. */
export const OTHER_NAMES: Readonly<Record<string, string>> = {
  apple: 'red apple',
  arrow: 'right arrow',
  ball: 'soccer ball',
  bear: 'teddy bear',
  bee: 'honeybee',
  beer: 'beer mug',
  bike: 'bicycle',
  boat: 'sailboat',
  book: 'closed book',
  boot: 'hiking boot',
  bottle: 'bottle with popping cork',
  box: 'package',
  bubble: 'speech balloon',
  bulb: 'light bulb',
  burger: 'hamburger',
  cake: 'birthday cake',
  can: 'canned food',
  cap: 'billed cap',
  car: 'automobile',
  cart: 'shopping cart',
  chat: 'speech balloon',
  check: 'check mark',
  cheese: 'cheese wedge',
  chess: 'chess pawn',
  clock: 'alarm clock',
  coffee: 'hot beverage',
  computer: 'desktop computer',
  corn: 'ear of corn',
  cup: 'hot beverage',
  diamond: 'gem stone',
  dice: 'game die',
  dinosaur: 'sauropod',
  disk: 'floppy disk',
  donut: 'doughnut',
  drink: 'cup with straw',
  earth: 'globe showing europe africa',
  email: 'e mail',
  flame: 'fire',
  flower: 'blossom',
  folder: 'file folder',
  football: 'american football',
  fries: 'french fries',
  game: 'video game',
  gamepad: 'video game',
  gem: 'gem stone',
  gift: 'wrapped gift',
  globe: 'globe showing europe africa',
  glove: 'boxing glove',
  hat: 'top hat',
  headphones: 'headphone',
  heart: 'red heart',
  home: 'house',
  hourglass: 'hourglass not done',
  icecream: 'soft ice cream',
  knife: 'kitchen knife',
  ladybug: 'lady beetle',
  leaf: 'maple leaf',
  letter: 'envelope',
  lightbulb: 'light bulb',
  lightning: 'high voltage',
  lock: 'locked',
  'love heart': 'red heart',
  'magnifying glass': 'magnifying glass tilted left',
  mail: 'envelope',
  medal: 'sports medal',
  mic: 'microphone',
  money: 'money bag',
  moon: 'crescent moon',
  motorbike: 'motorcycle',
  mug: 'beer mug',
  music: 'musical note',
  note: 'musical note',
  pepper: 'hot pepper',
  phone: 'mobile phone',
  piano: 'musical keyboard',
  pin: 'round pushpin',
  pine: 'evergreen tree',
  plane: 'airplane',
  planet: 'ringed planet',
  plant: 'potted plant',
  plug: 'electric plug',
  poop: 'pile of poo',
  present: 'wrapped gift',
  pumpkin: 'jack o lantern',
  puzzle: 'puzzle piece',
  question: 'red question mark',
  'question mark': 'red question mark',
  recycle: 'recycling symbol',
  saw: 'carpentry saw',
  scooter: 'kick scooter',
  search: 'magnifying glass tilted left',
  shell: 'spiral shell',
  shirt: 't shirt',
  shoe: 'running shoe',
  skate: 'ice skate',
  smile: 'slightly smiling face',
  smiley: 'slightly smiling face',
  sneaker: 'running shoe',
  soccer: 'soccer ball',
  sock: 'socks',
  speaker: 'speaker high volume',
  steak: 'cut of meat',
  suitcase: 'luggage',
  sword: 'dagger',
  tea: 'teacup without handle',
  tree: 'deciduous tree',
  truck: 'delivery truck',
  tv: 'television',
  ufo: 'flying saucer',
  van: 'minibus',
  wave: 'water wave',
  wine: 'wine glass',
};

/** Words that do not identify an object. */
export const FILLER_WORDS: ReadonlySet<string> = new Set(
  'a an the of in my one single some 3d 3 d icon icons model object emoji render rendering rendered solid toy cute nice please make me create draw show'.split(
    ' ',
  ),
);

const SKIN_TONES = /-(?:dark|light|medium-dark|medium|medium-light)$/;
const MAX_SUGGESTIONS = 6;
const EXAMPLES = ['rocket', 'red heart', 'house', 'birthday cake', 'robot', 'crown'];

export interface Vocabulary {
  readonly names: readonly string[];
  /** The object that a prompt names, or a refusal that suggests similar names. */
  find(prompt: string): string;
  read(name: string): Promise<string>;
}

/** The names of the drawings in a folder of SVG files; people have the neutral skin tone. */
export async function openVocabulary(dir: string): Promise<Vocabulary> {
  const fileOf = new Map<string, string>();
  for (const file of (await readdir(dir)).filter((each) => each.endsWith('.svg')).sort()) {
    const stem = file.slice(0, -'.svg'.length);
    if (SKIN_TONES.test(stem) || !isPlainIcon(await readFile(join(dir, file), 'utf8'))) continue;
    fileOf.set(stem.replace(/-default$/, '').replaceAll('-', ' '), file);
  }
  const names = [...fileOf.keys()];

  function find(prompt: string): string {
    const every = prompt
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .filter((word) => word !== '');
    const words = every.filter((word) => !FILLER_WORDS.has(word));
    const phrase = words.join(' ');
    for (const each of [every.join(' '), ...singulars(phrase)]) {
      const other = OTHER_NAMES[each];
      if (fileOf.has(each)) return each;
      if (other !== undefined && fileOf.has(other)) return other;
    }
    const near = suggest(names, words);
    throw new EngineRefusal(
      near.length > 0
        ? `Unknown object "${shorten(phrase)}". Similar: ${near.join(', ')}. Name a single object.`
        : `Unknown object "${shorten(phrase)}". Name one object of the list, such as ${EXAMPLES.join(', ')}; or write letters as "text: HELLO".`,
    );
  }

  return { names, find, read: (name) => readFile(join(dir, fileOf.get(name)!), 'utf8') };
}

function singulars(phrase: string): string[] {
  return [phrase, phrase.replace(/ies$/, 'y'), phrase.replace(/es$/, ''), phrase.replace(/s$/, '')];
}

function shorten(phrase: string): string {
  return phrase.length > 40 ? `${phrase.slice(0, 40)}...` : phrase;
}

/** Names that share a word with the prompt, then names within a small edit distance. */
function suggest(names: readonly string[], words: readonly string[]): string[] {
  const scored = names.map((name) => {
    const parts = name.split(' ');
    const shared = words.filter((word) => parts.includes(word) || (OTHER_NAMES[word] ?? '') === name).length;
    const slip = Math.min(...words.map((word) => Math.min(...parts.map((part) => editDistance(word, part)))), 9);
    return { name, score: shared > 0 ? 10 * shared - parts.length : slip <= 1 ? 1 - parts.length / 10 : 0 };
  });
  return scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ name }) => name);
}

function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 1 || Math.min(a.length, b.length) < 3) return a === b ? 0 : 9;
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length]!;
}
