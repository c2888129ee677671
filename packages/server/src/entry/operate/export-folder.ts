import { createHash, type Hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ExportReport, ExportSink } from '../../domain/exports/export-account.ts';
import { UsageError } from './operator-command.ts';

const FORMAT = 1;

interface ManifestRow {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface ExportFolder extends ExportSink {
  /** Writes the manifest last: a folder without one is not complete. */
  finish(report: ExportReport): Promise<void>;
  /** Removes the folder of an export that failed. */
  discard(): Promise<void>;
}

/** A new folder with one file per section, the files of the account, and a manifest with their hashes. For its owner alone. */
export async function createExportFolder(path: string): Promise<ExportFolder> {
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') throw new UsageError(`--to: ${path} exists. Name a new folder`);
    if (error.code === 'ENOENT') throw new UsageError(`--to: the folder ${dirname(path)} does not exist`);
    throw error;
  });
  const manifest: ManifestRow[] = [];
  const write = async (name: string, content: Readable) => {
    const hash = createHash('sha256');
    let bytes = 0;
    await mkdir(dirname(join(path, name)), { recursive: true, mode: 0o700 });
    await pipeline(
      content,
      meter(hash, (length) => {
        bytes += length;
      }),
      createWriteStream(join(path, name), { flags: 'wx', mode: 0o600 }),
    );
    manifest.push({ name, bytes, sha256: hash.digest('hex') });
  };
  return {
    async writeLines(name, lines) {
      let count = 0;
      const withEnds = async function* () {
        for await (const line of lines) {
          count += 1;
          yield `${line}\n`;
        }
      };
      await write(`${name}.jsonl`, Readable.from(withEnds()));
      return { lines: count };
    },
    writeFile: write,
    async finish(report) {
      const text = JSON.stringify({ format: FORMAT, ...report, contents: manifest }, null, 2);
      await writeFile(join(path, 'manifest.json'), `${text}\n`, { flag: 'wx', mode: 0o600 });
    },
    discard: () => rm(path, { recursive: true, force: true }),
  };
}

function meter(hash: Hash, onBytes: (length: number) => void): Transform {
  return new Transform({
    transform(chunk: Buffer | string, _encoding, done) {
      const bytes = Buffer.from(chunk);
      hash.update(bytes);
      onBytes(bytes.length);
      done(null, bytes);
    },
  });
}
