import { en, type Text } from './en.ts';

export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;

const KEPT_AS = 'atelier-language';

/** The language that the person chose, else the first of their browser that there is. */
export function findLanguage(kept: string | null, wanted: readonly string[]): Language {
  const known = [kept, ...wanted].map((tag) => tag?.split('-')[0]?.toLowerCase());
  return known.find((tag): tag is Language => tag !== undefined && Object.hasOwn(LANGUAGES, tag)) ?? 'en';
}

export const readLanguage = (): Language => findLanguage(localStorage.getItem(KEPT_AS), navigator.languages);
export const keepLanguage = (language: Language): void => localStorage.setItem(KEPT_AS, language);

/** English is always there; another language is loaded when it is used. */
export async function loadText(language: Language): Promise<Text> {
  return language === 'en' ? en : (await import('./de.ts')).de;
}
