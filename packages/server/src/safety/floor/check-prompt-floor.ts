import { findYoungAge } from './find-young-age.ts';
import { type FloorTerms, floorAlone, floorTerms, harmlessPhrases } from './floor-terms.ts';
import { normalisePrompt, type Reading } from './normalise-prompt.ts';

/** A word for a minor and a sexual word this far apart are treated as unrelated. */
const PAIR_WINDOW_WORDS = 120;
const MIN_HIDDEN_LENGTH = 4;

interface Language {
  readonly minor: readonly Term[];
  readonly sexual: readonly Term[];
}
type Term = { readonly words: readonly string[]; readonly isPrefix: boolean };

const toTerms = (list: readonly string[]): Term[] =>
  list.map((term) => ({ words: term.replace('*', '').split(' '), isPrefix: term.endsWith('*') }));

const alone = toTerms(floorAlone);
const harmless = toTerms(harmlessPhrases).sort((a, b) => b.words.length - a.words.length);
const every = {
  minor: toTerms(floorTerms.flatMap((l) => l.minor)),
  sexual: toTerms(floorTerms.flatMap((l) => l.sexual)),
};
const languages: readonly Language[] = [every, ...floorTerms.filter(hasOwn).map(ofLanguage)];
const hiddenMinor = longWords(every.minor);
const hiddenSexual = longWords(every.sexual);

/**
 * The hard floor: a prompt that combines minors with sexual words is refused whatever its score. It covers words of
 * English, Spanish, French and German and their common disguises; it needs no weights.
 */
export function checkPromptFloor(prompt: string): 'sexual-minors' | null {
  return normalisePrompt(prompt).some(isForbidden) ? 'sexual-minors' : null;
}

function isForbidden(reading: Reading): boolean {
  const words = dropHarmless(reading.words);
  if (words.some((_word, at) => alone.some((term) => matches(term, words, at)))) return true;
  const young = findYoungAge(words);
  const told = languages.some((language) => {
    const sexual = findPlaces(language.sexual, words);
    if (sexual.length === 0) return false;
    const minor = [...young, ...findPlaces(language.minor, words)];
    return minor.some((a) => sexual.some((b) => Math.abs(a - b) <= PAIR_WINDOW_WORDS));
  });
  return told || isHidden({ words, runs: reading.runs, isYoungTold: young.length > 0 });
}

function hasOwn(language: FloorTerms): boolean {
  return language.ownMinor !== undefined || language.ownSexual !== undefined;
}

function ofLanguage(language: FloorTerms): Language {
  return {
    minor: toTerms([...language.minor, ...(language.ownMinor ?? [])]),
    sexual: toTerms([...language.sexual, ...(language.ownSexual ?? [])]),
  };
}

function matches(term: Term, words: readonly string[], at: number): boolean {
  const last = term.words.length - 1;
  return term.words.every((part, index) => {
    const word = words[at + index];
    if (word === undefined) return false;
    return term.isPrefix && index === last ? word.startsWith(part) : word === part;
  });
}

function findPlaces(terms: readonly Term[], words: readonly string[]): number[] {
  return words.flatMap((_word, at) => (terms.some((term) => matches(term, words, at)) ? [at] : []));
}

function dropHarmless(words: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at < words.length; ) {
    const phrase = harmless.find((term) => term.words.every((part, index) => words[at + index] === part));
    // A placeholder keeps the neighbours from forming a phrase.
    kept.push(phrase === undefined ? words[at]! : '');
    at += phrase?.words.length ?? 1;
  }
  return kept;
}

function longWords(terms: readonly Term[]): string[] {
  return terms.flatMap(({ words }) => (words.length === 1 && words[0]!.length >= MIN_HIDDEN_LENGTH ? words : []));
}

/** Words written together (`nakedchild`), and words with separated letters. */
function isHidden(text: { words: readonly string[]; runs: readonly string[]; isYoungTold: boolean }): boolean {
  const glued = text.words.some((word) =>
    hiddenMinor.some(
      (minor) =>
        (word.startsWith(minor) && hiddenSexual.includes(word.slice(minor.length))) ||
        (word.endsWith(minor) && hiddenSexual.includes(word.slice(0, -minor.length))),
    ),
  );
  if (glued) return true;
  if (text.runs.length === 0) return false;
  const inRun = (list: readonly string[]) => list.some((term) => text.runs.some((run) => run.includes(term)));
  const minor = text.isYoungTold || inRun(hiddenMinor) || findPlaces(every.minor, text.words).length > 0;
  const sexual = inRun(hiddenSexual) || findPlaces(every.sexual, text.words).length > 0;
  return minor && sexual;
}
