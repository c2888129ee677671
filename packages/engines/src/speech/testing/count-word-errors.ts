import { type CountedLanguage, spellNumber } from './spell-number.ts';

export interface WordErrors {
  readonly errors: number;
  readonly words: number;
}

/** Word errors between reference and transcript: inserted, deleted or substituted words. */
export function countWordErrors(options: { said: string; heard: string; language: CountedLanguage }): WordErrors {
  const said = listWords(options.said, options.language);
  const heard = listWords(options.heard, options.language);
  let costs = heard.map((_, index) => index + 1);
  for (const [row, word] of said.entries()) {
    let [left, diagonal] = [row + 1, row];
    costs = costs.map((above, column) => {
      left = Math.min(left + 1, above + 1, diagonal + (word === heard[column] ? 0 : 1));
      diagonal = above;
      return left;
    });
  }
  return { errors: costs.at(-1) ?? said.length, words: said.length };
}

/** Without case, punctuation and digits, which are not audible. */
function listWords(text: string, language: CountedLanguage): readonly string[] {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replace(/(\d)[,.](?=\d{3}\b)/g, '$1')
    .replace(/\d+/g, (digits) => ` ${spellNumber({ value: Number(digits), language })} `)
    .replace(/%/g, language === 'en' ? ' percent ' : ' por ciento ')
    .replace(/['’]/g, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}
