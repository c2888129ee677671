import { createContext, useContext } from 'react';
import { en, type Text } from './en.ts';

export const TextContext = createContext<Text>(en);

/** The words of the console in the person's language. */
export const useText = (): Text => useContext(TextContext);
