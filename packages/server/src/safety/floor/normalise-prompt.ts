/** Letters of other scripts that look like Latin ones, as they are used to get past word lists. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  а: 'a',
  в: 'b',
  с: 'c',
  ԁ: 'd',
  е: 'e',
  ё: 'e',
  һ: 'h',
  н: 'h',
  і: 'i',
  ї: 'i',
  ј: 'j',
  к: 'k',
  ӏ: 'l',
  м: 'm',
  п: 'n',
  о: 'o',
  р: 'p',
  ѕ: 's',
  т: 't',
  ѵ: 'v',
  ѡ: 'w',
  х: 'x',
  у: 'y',
  α: 'a',
  β: 'b',
  ε: 'e',
  η: 'n',
  ι: 'i',
  κ: 'k',
  ν: 'v',
  ο: 'o',
  ρ: 'p',
  τ: 't',
  υ: 'u',
  χ: 'x',
  ı: 'i',
  ł: 'l',
  ø: 'o',
  đ: 'd',
};

const LEET: Readonly<Record<string, string>> = { 0: 'o', 3: 'e', 4: 'a', 5: 's', 7: 't', 8: 'b', '@': 'a', $: 's' };
const LEET_CHARACTERS = /[0134578@$!|]/;
const DRAWN_OUT = /(\p{L})\1{2,}/gu;
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;

/** One reading of a prompt: its words in order, and runs of separated letters (`c h i l d`) joined. */
export interface Reading {
  readonly words: readonly string[];
  readonly runs: readonly string[];
}

/**
 * The readings of a prompt without the usual disguises: look-alike letters, digits for letters, separated letters,
 * repeated letters. The first reading keeps digits, because ages contain them.
 */
export function normalisePrompt(prompt: string): readonly Reading[] {
  const plain = unaccent(prompt.normalize('NFKC').replace(INVISIBLE, '').toLowerCase());
  const texts = [plain];
  if (LEET_CHARACTERS.test(plain)) texts.push(unleet(plain, 'i'), unleet(plain, 'l'));
  return texts.flatMap((text) =>
    text.search(DRAWN_OUT) >= 0
      ? [split(text.replaceAll(DRAWN_OUT, '$1$1')), split(text.replaceAll(DRAWN_OUT, '$1'))]
      : [split(text)],
  );
}

function unaccent(text: string): string {
  let out = '';
  for (const letter of text.normalize('NFD').replace(/\p{M}/gu, '')) out += LOOKALIKES[letter] ?? letter;
  return out.replaceAll('ß', 'ss').replaceAll('æ', 'ae').replaceAll('œ', 'oe');
}

/** Only inside a word that has a letter: `4 kids at 10:30` is no disguise. */
function unleet(text: string, one: string): string {
  return text.replace(/[\p{L}\p{N}@$!|]+/gu, (word) => {
    if (!/\p{L}/u.test(word)) return word;
    return word.replace(/[!|](?=$)/, '').replace(/[0134578@$!|]/g, (sign) => LEET[sign] ?? one);
  });
}

function split(text: string): Reading {
  const words: string[] = [];
  const runs: string[] = [];
  let run = '';
  const endRun = () => {
    if (run.length > 2) runs.push(run);
    run = '';
  };
  for (const [word] of text.matchAll(/[\p{L}\p{N}]+/gu)) {
    words.push(word);
    if (word.length === 1 && /\p{L}/u.test(word)) run += word;
    else endRun();
  }
  endRun();
  return { words, runs };
}
