import type { Text } from './en.ts';

/** The name of an effect. An operator can add effects that the dictionary does not know: their id is readable too. */
export function nameOf(text: Text, nameKey: string): string {
  const id = /^effects\.(.+)\.name$/.exec(nameKey)?.[1] ?? nameKey;
  const words = id.replaceAll('-', ' ');
  return text.names[nameKey] ?? words.charAt(0).toUpperCase() + words.slice(1);
}
