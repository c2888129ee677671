import type { Readable } from 'node:stream';
import { withTx } from '../../platform/db.ts';
import { Problem } from '../../platform/problem.ts';
import { nameAssetFile } from '../assets/find-served-file.ts';
import type { Services } from '../services.ts';
import { beginSnapshot, readSection, SECTIONS } from './exports.store.ts';

/** Where an export is written. */
export interface ExportSink {
  /** One JSON text per line. */
  writeLines(name: string, lines: AsyncIterable<string>): Promise<{ lines: number }>;
  writeFile(name: string, content: Readable): Promise<void>;
}

export interface ExportReport {
  readonly accountId: string;
  /** Rows by section. */
  readonly rows: Readonly<Record<string, number>>;
  readonly files: number;
  /** Files that a row names and the bucket does not have. */
  readonly missing: readonly string[];
}

const FOLDER = 'files';

/**
 * Writes everything that an account owns: its rows of one moment, then the original of each file. Previews, secrets and what only
 * the service uses are left out. Changes nothing.
 */
export async function exportAccount(
  services: Pick<Services, 'db' | 'store'>,
  { accountId, sink }: { accountId: string; sink: ExportSink },
): Promise<ExportReport> {
  const rows: Record<string, number> = {};
  const files: Array<{ key: string; name: string }> = [];
  await withTx(services.db, async (tx) => {
    await beginSnapshot(tx);
    for (const section of SECTIONS) {
      const read = readSection(tx, section, accountId);
      const { lines } = await sink.writeLines(section.name, section.name === 'assets' ? nameFiles(read, files) : read);
      if (section.name === 'account' && lines === 0) throw new Problem('not_found', 'There is no such account.');
      rows[section.name] = lines;
    }
  });
  const missing: string[] = [];
  for (const { key, name } of files) {
    const found = await services.store.read({ key });
    if (found === null) missing.push(name);
    else await sink.writeFile(name, found.stream);
  }
  return { accountId, rows, files: files.length - missing.length, missing };
}

/** Replaces where the service keeps a file by where the export has it. */
async function* nameFiles(
  lines: AsyncIterable<string>,
  files: Array<{ key: string; name: string }>,
): AsyncGenerator<string> {
  for await (const line of lines) {
    const { object_key: key, variants: _, ...asset } = JSON.parse(line) as Record<string, unknown>;
    const name = `${FOLDER}/${nameAssetFile({ assetId: String(asset.id), mimeType: String(asset.mime_type) })}`;
    files.push({ key: String(key), name });
    yield JSON.stringify({ ...asset, file: name });
  }
}
