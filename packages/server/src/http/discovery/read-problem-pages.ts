import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { problems } from '@atelier/contract';

const PAGES = new URL('../../../../../docs/problems/', import.meta.url);

/** The page of every problem code, by code: what the `type` of a problem leads to. */
export async function readProblemPages(): Promise<ReadonlyMap<string, string>> {
  const read = async (code: string) =>
    [code, await readFile(fileURLToPath(new URL(`${code}.md`, PAGES)), 'utf8')] as const;
  return new Map(await Promise.all(Object.keys(problems).map(read)));
}
