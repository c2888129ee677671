import { runProgram } from '../run-program.ts';
import type { Clause, SpokenClause } from './clauses.ts';
import { kokoroSymbols, type Speech } from './kokoro-voices.ts';

/** espeak-ng puts this between the letters of one sound. */
const TIE = '\u200d';
/** `(en)`: espeak-ng marks a switch to another language. */
const LANGUAGE_SWITCH = /\([^)]*\)/g;

type Rule = readonly [pattern: RegExp | string, replacement: string];

/** Two-letter phonemes that Kokoro represents by one symbol, in every language. */
const JOINED: readonly Rule[] = [
  [`a${TIE}ɪ`, 'I'],
  [`a${TIE}ʊ`, 'W'],
  [`e${TIE}ɪ`, 'A'],
  [`o${TIE}ʊ`, 'O'],
  [`ə${TIE}ʊ`, 'Q'],
  [`ɔ${TIE}ɪ`, 'Y'],
  [`d${TIE}ʒ`, 'ʤ'],
  [`t${TIE}ʃ`, 'ʧ'],
  [`d${TIE}z`, 'ʣ'],
  [`t${TIE}s`, 'ʦ'],
  [`s${TIE}s`, 'S'],
];

/** Kokoro's English phonemes for espeak-ng's finer notation. */
const ENGLISH: readonly Rule[] = [
  [/ʔˌ?n\u0329/g, 'tᵊn'],
  [/(.)\u0329/g, 'ᵊ$1'],
  [`ə${TIE}l`, 'ᵊl'],
  [/ɚɹ?/g, 'əɹ'],
  [/ʲ/g, ''],
  [/r/g, 'ɹ'],
  [/[xç]/g, 'k'],
  [/ɬ/g, 'l'],
  [/ʔ/g, 't'],
  [/ɐ/g, 'ə'],
  [/\u0303/g, ''],
];

const AMERICAN: readonly Rule[] = [
  [/ɜː?ɹ?/g, 'ɜɹ'],
  [`i${TIE}ə`, 'iə'],
  [new RegExp(`o(?!${TIE})`, 'g'), 'ɔ'],
  [/ɾ/g, 'T'],
  [/ː/g, ''],
];

const BRITISH: readonly Rule[] = [
  [`e${TIE}ə`, 'ɛː'],
  [`i${TIE}ə`, 'ɪə'],
  [/a(?![ɪʊ])/g, 'æ'],
];

const RULES: Readonly<Record<Speech, readonly Rule[]>> = {
  'en-us': [...ENGLISH, ...AMERICAN],
  'en-gb': [...ENGLISH, ...BRITISH],
  es: [],
  'fr-fr': [],
  hi: [],
  it: [],
  'pt-br': [],
};

/** Converts espeak-ng's output for a clause to Kokoro's symbols; phonemes without a symbol are dropped. */
export function mapPhonemes(options: { ipa: string; speech: Speech }): string {
  let phonemes = options.ipa.replace(LANGUAGE_SWITCH, '').replace(/\s+/g, ' ').trim();
  for (const [pattern, replacement] of [...JOINED, ...RULES[options.speech]]) {
    phonemes = phonemes.replaceAll(pattern, replacement);
  }
  return [...phonemes.replaceAll(TIE, '')]
    .flatMap((symbol) => (kokoroSymbols.has(symbol) ? [symbol] : [...symbol.normalize('NFD')]))
    .filter((symbol) => kokoroSymbols.has(symbol))
    .join('');
}

/** Gets the phonemes of clauses from espeak-ng; silent clauses are dropped. */
export async function phonemizeClauses(options: {
  clauses: readonly Clause[];
  speech: Speech;
  espeakPath: string;
  dir: string;
}): Promise<readonly SpokenClause[]> {
  const ask = async (clauses: readonly Clause[]) => {
    const output = await runProgram({
      path: options.espeakPath,
      args: ['-q', '--ipa=3', '-v', options.speech, '--stdin'],
      cwd: options.dir,
      input: `${clauses.map(({ words }) => words).join('\n\n')}\n`,
    });
    return output
      .toString('utf8')
      .split('\n')
      .filter((line) => line.trim() !== '');
  };
  let lines = await ask(options.clauses);
  if (lines.length !== options.clauses.length) {
    // espeak-ng found a different number of clauses, so each is processed separately.
    lines = [];
    for (const clause of options.clauses) lines.push((await ask([clause])).join(' '));
  }
  return options.clauses
    .map(({ mark, endsParagraph }, index) => ({
      phonemes: mapPhonemes({ ipa: lines[index]!, speech: options.speech }),
      mark,
      endsParagraph,
    }))
    .filter(({ phonemes }) => phonemes !== '');
}
