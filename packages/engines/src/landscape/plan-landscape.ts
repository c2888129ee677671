import { EngineRefusal } from '../engine.ts';

export type Ground = 'mountains' | 'hills' | 'desert' | 'forest' | 'sea';
export type Hour = 'dawn' | 'day' | 'sunset' | 'night';

/** Everything that determines an image, besides the seed. */
export interface LandscapePlan {
  readonly ground: Ground;
  readonly hour: Hour;
  /** Water in the foreground, which mirrors the scene. */
  readonly water: boolean;
  readonly mist: boolean;
  readonly snow: boolean;
  readonly clouds: boolean;
  readonly aurora: boolean;
}

const GROUND_WORDS: Readonly<Record<string, Ground>> = {
  mountain: 'mountains',
  mountains: 'mountains',
  mountainous: 'mountains',
  peak: 'mountains',
  peaks: 'mountains',
  alps: 'mountains',
  alpine: 'mountains',
  ridge: 'mountains',
  ridges: 'mountains',
  valley: 'mountains',
  hill: 'hills',
  hills: 'hills',
  meadow: 'hills',
  meadows: 'hills',
  field: 'hills',
  fields: 'hills',
  countryside: 'hills',
  grassland: 'hills',
  desert: 'desert',
  dune: 'desert',
  dunes: 'desert',
  sahara: 'desert',
  sand: 'desert',
  forest: 'forest',
  forests: 'forest',
  wood: 'forest',
  woods: 'forest',
  woodland: 'forest',
  pine: 'forest',
  pines: 'forest',
  trees: 'forest',
  taiga: 'forest',
};
const SEA_WORDS = new Set(['sea', 'ocean', 'seaside', 'coast', 'bay', 'waves']);
const LAKE_WORDS = new Set(['lake', 'lakes', 'lakeside', 'water', 'reflection', 'fjord']);
const HOUR_WORDS: Readonly<Record<string, Hour>> = {
  dawn: 'dawn',
  sunrise: 'dawn',
  daybreak: 'dawn',
  day: 'day',
  daylight: 'day',
  noon: 'day',
  midday: 'day',
  morning: 'day',
  sunny: 'day',
  summer: 'day',
  sunset: 'sunset',
  dusk: 'sunset',
  evening: 'sunset',
  twilight: 'sunset',
  golden: 'sunset',
  night: 'night',
  midnight: 'night',
  moonlight: 'night',
  moonlit: 'night',
  moon: 'night',
  starry: 'night',
  stars: 'night',
};
const MIST_WORDS = new Set(['mist', 'misty', 'fog', 'foggy', 'haze', 'hazy']);
const SNOW_WORDS = new Set(['snow', 'snowy', 'winter', 'snowcapped', 'ice', 'icy', 'arctic']);
const CLOUD_WORDS = new Set(['cloud', 'clouds', 'cloudy']);
const AURORA_WORDS = new Set(['aurora', 'northern', 'lights']);

/**
 * Reads the known words of a prompt. An image that shows only half of the request would be misleading, so the prompt must
 * name a known scene and no object that cannot be painted.
 */
export function planLandscape(prompt: string): LandscapePlan {
  const words = prompt
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '');
  const has = (known: ReadonlySet<string>) => words.some((word) => known.has(word));
  const grounds = words.flatMap((word) => GROUND_WORDS[word] ?? []);
  const sea = has(SEA_WORDS);
  if (grounds.length === 0 && !sea && !has(LAKE_WORDS))
    throw new EngineRefusal(refusal('The prompt names no supported landscape.'));
  const foreign = words.filter((word) => FOREIGN_WORDS.has(word));
  if (foreign.length > 0) throw new EngineRefusal(refusal(`"${foreign[0]!}" is not supported.`));
  const aurora = has(AURORA_WORDS);
  const ground = grounds.includes('mountains') ? 'mountains' : (grounds[0] ?? (sea ? 'sea' : 'mountains'));
  return {
    ground,
    hour: words.map((word) => HOUR_WORDS[word]).find((hour) => hour !== undefined) ?? (aurora ? 'night' : 'day'),
    water: sea || has(LAKE_WORDS),
    mist: has(MIST_WORDS),
    snow: has(SNOW_WORDS),
    clouds: has(CLOUD_WORDS),
    aurora,
  };
}

/** Common objects in landscape prompts that this engine cannot paint. */
const FOREIGN_WORDS = new Set(
  'person people man woman girl boy child children portrait face cat dog horse animal animals bird birds deer wolf bear dragon house houses home cabin castle city town village street building buildings tower bridge church temple lighthouse car cars truck train road boat boats ship ships sailboat robot spaceship rocket planet astronaut knight warrior rainbow waterfall volcano lightning storm rain text logo abstract cartoon anime'.split(
    ' ',
  ),
);

function refusal(reason: string): string {
  return `${reason} Name a scene (mountains, hills, desert, forest, sea, lake), a time of day (dawn, day, sunset, night) and optionally mist, snow, clouds or aurora.`;
}
