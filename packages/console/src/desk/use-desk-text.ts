import { deskDe } from '../text/desk-de.ts';
import { type DeskText, deskEn } from '../text/desk-en.ts';
import { useText } from '../text/use-text.ts';

/** The words of the desk in the person's language. They are not part of the console's files. */
export const useDeskText = (): DeskText => (useText().locale.startsWith('de') ? deskDe : deskEn);
