import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { SAFETY_CATEGORIES, type SafetyCategory } from '../verdict.ts';

/** A text and its category; null for a safe one. */
export interface LabelledText {
  readonly text: string;
  readonly category: SafetyCategory | null;
}

/** The classifier's exemplars, from the file beside this one. */
export async function readExemplars(): Promise<readonly LabelledText[]> {
  const file = parse(await readFile(new URL('policy-exemplars.yaml', import.meta.url), 'utf8')) as {
    policy: Record<string, string[]>;
    safe: string[];
  };
  const known: readonly string[] = SAFETY_CATEGORIES;
  const unknown = Object.keys(file.policy).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`policy-exemplars.yaml: unknown category ${unknown}`);
  return [
    ...SAFETY_CATEGORIES.flatMap((category) => (file.policy[category] ?? []).map((text) => ({ text, category }))),
    ...file.safe.map((text) => ({ text, category: null })),
  ];
}
