import type { Speech } from './kokoro-voices.ts';

interface Money {
  readonly $: string;
  readonly '€': string;
  readonly '£': string;
  /** Between the whole and the hundredths. */
  readonly and: string;
}

const ENGLISH: Money = { $: 'dollars', '€': 'euros', '£': 'pounds', and: 'and' };
const MONEY: Readonly<Record<Speech, Money>> = {
  'en-us': ENGLISH,
  'en-gb': ENGLISH,
  es: { $: 'dólares', '€': 'euros', '£': 'libras', and: 'con' },
  'fr-fr': { $: 'dollars', '€': 'euros', '£': 'livres', and: '' },
  hi: { $: 'डॉलर', '€': 'यूरो', '£': 'पाउंड', and: '' },
  it: { $: 'dollari', '€': 'euro', '£': 'sterline', and: 'e' },
  'pt-br': { $: 'dólares', '€': 'euros', '£': 'libras', and: 'e' },
};
const AMOUNT_AFTER = /([$€£])\s?(\d[\d.,]*?)(?:[.,](\d\d))?(?![\d.,]*\d)/g;
const AMOUNT_BEFORE = /(\d[\d.,]*?)(?:[.,](\d\d))?\s?([$€£])/g;
const YEAR = /\b(1[1-9]|20)(\d\d)\b(?![.,:%]?\d|\s?[%°])/g;
const CLOCK = /\b(\d{1,2}):(\d\d)\b/g;

/** Spells out what espeak-ng reads badly: amounts of money, and in English years and times. */
export function spellAmounts(options: { text: string; speech: Speech }): string {
  const money = MONEY[options.speech];
  const spell = (symbol: string, whole: string, part: string | undefined) =>
    `${whole} ${money[symbol as '$' | '€' | '£']}${part === undefined || part === '00' ? '' : ` ${money.and} ${part}`}`;
  const text = options.text
    .replace(AMOUNT_AFTER, (_, symbol, whole, part) => spell(symbol, whole, part))
    .replace(AMOUNT_BEFORE, (_, whole, part, symbol) => spell(symbol, whole, part));
  if (MONEY[options.speech] !== ENGLISH) return text;
  return text
    .replace(YEAR, (year, century: string, rest: string) => {
      if (century === '20' && Number(rest) < 10) return year;
      if (rest === '00') return `${century} hundred`;
      return `${century} ${rest.startsWith('0') ? `oh ${rest.slice(1)}` : rest}`;
    })
    .replace(CLOCK, (_, hour: string, minute: string) => {
      if (minute === '00') return hour;
      return `${hour} ${minute.startsWith('0') ? `oh ${minute.slice(1)}` : minute}`;
    });
}
