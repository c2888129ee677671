import { settings } from './settings.ts';

/** First words of our variables, without those that other programs use too (LOG, LIST, PUBLIC). */
const OWN_WORDS = [
  'ATELIER',
  'BACKENDS',
  'CATALOG',
  'CDN',
  'CONSOLE',
  'DESK',
  'DATABASE',
  'FFMPEG',
  'FFPROBE',
  'MASTER_KEY',
  'METRICS',
  'OIDC',
  'OBJECT_STORE',
  'REDIS',
  'S3',
  'SAFETY',
  'SPOOL',
  'WEBHOOK',
  'WEIGHTS',
];
/** Read by our scripts, by deploy/roles.sql and by compose.yaml. */
const KNOWN_OTHERS = new Set([
  'ATELIER_SANDBOX',
  'ATELIER_SERVICES_FILE',
  'DATABASE_OWNER_PASSWORD',
  'DATABASE_DESK_PASSWORD',
  'DATABASE_PASSWORD',
  'DATABASE_SUPERUSER_PASSWORD',
]);
/** Endings of the variables that container platforms add for every service. */
const SERVICE_LINK = /_SERVICE_(HOST|PORT)(_\w+)?$|_PORT(_\d+_(TCP|UDP)(_(ADDR|PORT|PROTO))?)?$/;
/** Shorter names are too alike: HOME is two letters from HOST. */
const MIN_COMPARED_LENGTH = 8;
const MAX_TYPING_ERRORS = 2;

export interface UnknownSetting {
  readonly name: string;
  /** The setting that was probably meant. */
  readonly meant: string | null;
}

/** Variables that look like one of our settings but are not. Returns names, never values. */
export function findUnknownSettings(env: Readonly<Record<string, string | undefined>>): UnknownSetting[] {
  const known = new Set(Object.keys(settings).flatMap((name) => [name, `${name}_FILE`]));
  return Object.keys(env)
    .filter((name) => !known.has(name) && !KNOWN_OTHERS.has(name) && !SERVICE_LINK.test(name))
    .map((name) => ({ name, meant: findAlike(name, known) }))
    .filter(({ name, meant }) => meant !== null || OWN_WORDS.some((word) => name.startsWith(`${word}_`)))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function findAlike(name: string, known: ReadonlySet<string>): string | null {
  if (name.length < MIN_COMPARED_LENGTH) return null;
  const alike = [...known]
    .filter((each) => each.length >= MIN_COMPARED_LENGTH)
    .map((each) => ({ each, distance: distanceOf(name.toUpperCase(), each) }))
    .filter(({ distance }) => distance <= MAX_TYPING_ERRORS)
    .sort((a, b) => a.distance - b.distance);
  return alike[0]?.each ?? null;
}

/** The edit distance: how many characters were added, left out or replaced. */
function distanceOf(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > MAX_TYPING_ERRORS) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: b.length + 1 }, (_, n) => n);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}
