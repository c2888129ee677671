import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Catalog, RouteCheck } from './catalog.ts';
import { CatalogError, type FileError } from './catalog-error.ts';
import { buildCatalog } from './files/build-catalog.ts';
import { parseSource, type Source } from './files/parse-source.ts';

const MAX_FILES = 1_000;
const MAX_FILE_BYTES = 1_048_576;
const VERSION_LENGTH = 16;

type Folder = 'models' | 'effects';

/**
 * Reads `models/*.yaml`, `effects/*.yaml` and `openai.yaml`; throws a CatalogError with every error found. Routes are checked only if a
 * check is given: an invalid route must not stop a running service from serving its other models.
 */
export async function loadCatalog(dir: string, { checkRoute }: { checkRoute?: RouteCheck } = {}): Promise<Catalog> {
  const hash = createHash('sha256');
  const errors: FileError[] = [];
  const sources: Record<Folder | 'openai', Source[]> = { models: [], effects: [], openai: [] };
  const broken: Record<Folder | 'openai', boolean> = { models: false, effects: false, openai: false };
  for (const folder of ['models', 'effects', 'openai'] as const) {
    const files =
      folder === 'openai'
        ? await findAliasFile(dir)
        : (await listFiles(join(dir, folder), folder, errors)).map((name) => `${folder}/${name}`);
    for (const file of files) {
      const bytes = await readFile(join(dir, file));
      hash.update(`${file}\0${bytes.length}\0`).update(bytes);
      const read =
        bytes.length > MAX_FILE_BYTES
          ? { source: null, errors: [{ file, line: 1, reason: `is larger than ${MAX_FILE_BYTES} bytes` }] }
          : parseSource({ file, text: bytes.toString('utf8') });
      errors.push(...read.errors);
      if (read.source === null) broken[folder] = true;
      else sources[folder].push(read.source);
    }
  }
  const version = hash.digest('hex').slice(0, VERSION_LENGTH);
  const catalog = buildCatalog({ version, sources, modelsAreWhole: !broken.models, errors, checkRoute });
  if (errors.length > 0) throw new CatalogError(errors);
  return catalog;
}

const ALIAS_FILE = 'openai.yaml';

/** A catalog needs no aliases. */
async function findAliasFile(dir: string): Promise<string[]> {
  try {
    return (await readdir(dir)).filter((name) => name === ALIAS_FILE);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return [];
  }
}

async function listFiles(path: string, folder: Folder, errors: FileError[]): Promise<string[]> {
  let names: string[];
  try {
    names = await readdir(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    names = [];
  }
  // Editors and mounts create hidden files.
  const visible = names.filter((name) => !name.startsWith('.')).sort();
  for (const name of visible) {
    if (name.endsWith('.yml')) errors.push({ file: `${folder}/${name}`, line: 1, reason: 'must end in .yaml' });
  }
  const files = visible.filter((name) => name.endsWith('.yaml'));
  if (files.length === 0 && folder === 'models')
    errors.push({ file: folder, line: 1, reason: 'no file describes a model' });
  if (files.length > MAX_FILES) errors.push({ file: folder, line: 1, reason: `holds more than ${MAX_FILES} files` });
  return files.slice(0, MAX_FILES);
}
