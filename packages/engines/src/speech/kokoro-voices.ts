/** Kokoro's phoneme table: ids have gaps, since the model was trained on a larger alphabet. */
const RUNS: ReadonlyArray<readonly [first: number, symbols: string]> = [
  [1, ';:,.!?'],
  [9, '—…"()“” \u0303ʣʥʦʨᵝ\uab67AI'],
  [31, 'O'],
  [33, 'Q'],
  [35, 'ST'],
  [39, 'W'],
  [41, 'Yᵊabcdef'],
  [50, 'hijklmnopqrstuvwxyzɑɐɒæ'],
  [75, 'βɔɕç'],
  [80, 'ɖðʤə'],
  [85, 'ɚɛɜ'],
  [90, 'ɟ'],
  [92, 'ɡ'],
  [99, 'ɥ'],
  [101, 'ɨɪʝ'],
  [110, 'ɯɰŋɳɲɴø'],
  [118, 'ɸθœ'],
  [123, 'ɹ'],
  [125, 'ɾɻ'],
  [128, 'ʁɽʂʃʈʧ'],
  [135, 'ʊʋ'],
  [138, 'ʌɣɤ'],
  [142, 'χʎ'],
  [147, 'ʒʔ'],
  [156, 'ˈˌː'],
  [162, 'ʰ'],
  [164, 'ʲ'],
  [169, '↓'],
  [171, '→↗↘'],
  [177, 'ᵻ'],
];

export const kokoroSymbols: ReadonlyMap<string, number> = new Map(
  RUNS.flatMap(([first, symbols]) => [...symbols].map((symbol, index) => [symbol, first + index] as const)),
);

export type Speech = 'en-us' | 'en-gb' | 'es' | 'fr-fr' | 'hi' | 'it' | 'pt-br';

interface SpokenLanguage {
  /** The name of the language in espeak-ng. */
  readonly speech: Speech;
  readonly name: string;
  /** Letters that a voice of this language can read. */
  readonly letters: RegExp;
}

const LATIN = /\p{Script=Latin}/u;

/**
 * By the first letter of a voice's name. The weights include Japanese (j) and Mandarin (z) voices too, but espeak-ng reads
 * most of their characters as "Chinese letter", so they are not offered.
 */
const LANGUAGES: Readonly<Record<string, SpokenLanguage>> = {
  a: { speech: 'en-us', name: 'American English', letters: LATIN },
  b: { speech: 'en-gb', name: 'British English', letters: LATIN },
  e: { speech: 'es', name: 'Spanish', letters: LATIN },
  f: { speech: 'fr-fr', name: 'French', letters: LATIN },
  h: { speech: 'hi', name: 'Hindi', letters: /[\p{Script=Devanagari}\p{Script=Latin}]/u },
  i: { speech: 'it', name: 'Italian', letters: LATIN },
  p: { speech: 'pt-br', name: 'Brazilian Portuguese', letters: LATIN },
};

/** The language of a voice such as `af_heart`; none for a voice that is not offered. */
export function languageOfVoice(voice: string): SpokenLanguage | undefined {
  return LANGUAGES[voice.charAt(0)];
}
