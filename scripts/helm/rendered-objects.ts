import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { readFolder } from '../release/pack-folder.ts';
import type { KubeObject } from './object-rules.ts';

const HELM = resolve(import.meta.dirname, '../../deploy/helm');
const HEADING = '# Made by scripts/helm-check --write from ';

/** What helm rendered with a file of deploy/helm/examples, as committed. */
export function findRendered(example: string): string {
  return join(HELM, 'rendered', `${example}.gen.yaml`);
}

/** The first line of rendered objects: it changes with every file that helm reads. */
export async function makeHeading(example: string, folder = HELM): Promise<string> {
  const hash = createHash('sha256');
  const files = await readFolder(join(folder, 'atelier'), 'atelier');
  const values = await readFile(join(folder, 'examples', `${example}.yaml`));
  for (const { path, bytes } of [...files, { path: 'values', bytes: values }]) {
    hash.update(`${path} ${bytes.length}\n`).update(bytes);
  }
  return `${HEADING}${hash.digest('hex')}`;
}

export function readObjects(text: string): KubeObject[] {
  return parseAllDocuments(text).flatMap((each) => {
    const object = each.toJS() as KubeObject | null;
    return object === null ? [] : [object];
  });
}
