import { useMemo } from 'react';
import { useText } from '../text/use-text.ts';
import { createFormat, type Format } from './format.ts';

export function useFormat(): Format {
  const { locale } = useText();
  return useMemo(() => createFormat(locale), [locale]);
}
