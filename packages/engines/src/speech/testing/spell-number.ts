export type CountedLanguage = 'en' | 'es';

const NAMES = {
  en: {
    small:
      'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen',
    tens: 'twenty thirty forty fifty sixty seventy eighty ninety',
    hundreds: '',
  },
  es: {
    small:
      'cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve',
    tens: 'veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa',
    hundreds: 'ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos',
  },
} as const;
const MAX_SPELLED = 9_999;

/** Writes a whole number in words, so that "25" and "twenty five" count as the same. Larger ones stay digits. */
export function spellNumber(options: { value: number; language: CountedLanguage }): string {
  const { value, language } = options;
  const rest = (part: number) => (part === 0 ? '' : ` ${spellNumber({ value: part, language })}`);
  const small = NAMES[language].small.split(' ');
  if (value < small.length) return small[value]!;
  if (value < 100) {
    const ten = NAMES[language].tens.split(' ')[Math.floor(value / 10) - 2]!;
    if (value % 10 === 0) return ten;
    return language === 'es' ? `${ten} y${rest(value % 10)}` : `${ten}${rest(value % 10)}`;
  }
  if (value < 1000) {
    if (language === 'en') return `${small[Math.floor(value / 100)]} hundred${rest(value % 100)}`;
    return value === 100 ? 'cien' : `${NAMES.es.hundreds.split(' ')[Math.floor(value / 100) - 1]}${rest(value % 100)}`;
  }
  if (value > MAX_SPELLED) return String(value);
  const thousands = Math.floor(value / 1000);
  if (language === 'en') return `${small[thousands]} thousand${rest(value % 1000)}`;
  return `${thousands === 1 ? '' : `${small[thousands]} `}mil${rest(value % 1000)}`;
}
