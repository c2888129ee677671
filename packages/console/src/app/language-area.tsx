import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import { en, type Text } from '../text/en.ts';
import { keepLanguage, type Language, loadText, readLanguage } from '../text/language.ts';
import { TextContext } from '../text/use-text.ts';

interface Preferred {
  readonly language: Language;
  setLanguage(language: Language): void;
}

const PreferredContext = createContext<Preferred>({ language: 'en', setLanguage: () => undefined });
export const usePreferredLanguage = (): Preferred => useContext(PreferredContext);

/** Provides the dictionary of the person's language, and changes it without a reload. */
export function LanguageArea({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(readLanguage);
  const [text, setText] = useState<Text | null>(language === 'en' ? en : null);
  useEffect(() => {
    let isCurrent = true;
    document.documentElement.lang = language;
    void loadText(language).then((loaded) => {
      if (isCurrent) setText(loaded);
    });
    return () => {
      isCurrent = false;
    };
  }, [language]);
  const preferred = useMemo<Preferred>(
    () => ({
      language,
      setLanguage(next) {
        keepLanguage(next);
        setLanguage(next);
      },
    }),
    [language],
  );
  return text === null ? null : (
    <PreferredContext value={preferred}>
      <TextContext value={text}>{children}</TextContext>
    </PreferredContext>
  );
}
