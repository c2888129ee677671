import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

export interface Artifact {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

export const SUMS = 'SHA256SUMS';

/** The files of a folder, by name. */
export async function listArtifacts(dir: string): Promise<Artifact[]> {
  const names = (await readdir(dir)).filter((name) => name !== SUMS).sort();
  return Promise.all(
    names.map(async (name) => {
      const hash = createHash('sha256');
      await pipeline(createReadStream(join(dir, name)), hash);
      return { name, bytes: (await stat(join(dir, name))).size, sha256: hash.digest('hex') };
    }),
  );
}

/** As `sha256sum --check SHA256SUMS` reads it. */
export async function writeChecksums(dir: string): Promise<Artifact[]> {
  const artifacts = await listArtifacts(dir);
  await writeFile(join(dir, SUMS), artifacts.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join(''));
  return artifacts;
}

/** The names of files that differ or are missing in one of two builds. */
export function compareBuilds(first: readonly Artifact[], second: readonly Artifact[]): string[] {
  const sums = new Map(second.map(({ name, sha256 }) => [name, sha256]));
  const names = new Set([...first, ...second].map(({ name }) => name));
  return [...names].filter((name) => first.find((each) => each.name === name)?.sha256 !== sums.get(name)).sort();
}
