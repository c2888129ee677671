const ADULT_AGE = 18;
const NUMBERS: Readonly<Record<string, number>> = Object.fromEntries(
  [
    'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen',
    'un dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis diecisiete',
    'un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize',
    'ein zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn sechzehn siebzehn',
  ].flatMap((row) => row.split(' ').map((word, index) => [word, index + 1])),
);
/** Things that have an age like a child's and are not people. */
const AGED_THINGS =
  /^(?:whisk(?:y|ey)s?|scotch|bourbon|rum|wine|port|cognac|brandy|cheese|balsamic|car|house|tree|oak|building|company|brand|anniversary|contract|plan|ron|vino|vin|wein|rhum)$/;
const COMPACT_AGE = /^(\d{1,2})(?:yo|yrs?|yrold|yearold|jahrige?[rsnm]?)$/;

const AGE_WORDS = /^(?:aged?|edad|agee?s?|alter)$/;
/** Alone after `is`, only what can hardly be anything but an age. */
const BARE_AGE = /^(?:\d{1,2}|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen)$/;

/** The index of every word that states an age under eighteen. */
export function findYoungAge(words: readonly string[]): readonly number[] {
  return words.flatMap((_word, at) => (isYoungAge(words, at) ? [at] : []));
}

function isYoungAge(words: readonly string[], at: number): boolean {
  const word = words[at]!;
  const compact = COMPACT_AGE.exec(word);
  const age = compact?.[1] ?? word;
  const years = /^\d{1,2}$/.test(age) ? Number(age) : (NUMBERS[age] ?? Number.NaN);
  if (!(years < ADULT_AGE)) return false;
  const near = (step: number) => words[at + step] ?? '';
  if (compact !== null) return !AGED_THINGS.test(near(1));
  if (/^(?:yo|yearold)$/.test(near(1))) return !AGED_THINGS.test(near(2));
  if (near(1) === 'y' && near(2) === 'o') return true;
  if (/^(?:years?|yrs?|months?)$/.test(near(1)) && near(2) === 'old') return !AGED_THINGS.test(near(3));
  if (AGE_WORDS.test(near(-1)) && /^\d/.test(age)) return true;
  // Spanish and French express ages and durations alike: `de quince anos`, but `hace diez anos`, `il y a dix ans`.
  if (/^(?:anos|ans)$/.test(near(1)) && AGED_THINGS.test(near(-2))) return false;
  if (/^(?:anos|ans)$/.test(near(1)))
    return /^(?:de|tiene|con|cumple|agee?s?)$/.test(near(-1)) || (near(-1) === 'a' && near(-2) !== 'y');
  if (near(1) === 'jahre') return near(2).startsWith('alt');
  if (near(1).startsWith('jahrig')) return true;
  return BARE_AGE.test(word) && /^(?:is|turned|turns|turning)$/.test(near(-1)) && /^(?:|and|who)$/.test(near(1));
}
