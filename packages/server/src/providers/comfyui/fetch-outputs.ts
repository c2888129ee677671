import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProducedOutput, ProviderJob } from '../provider.ts';
import type { Backend } from '../remote/backend.ts';
import { asRecord } from '../remote/explain-answer.ts';
import { saveFiles } from '../remote/outputs/save-files.ts';
import type { HistoryEntry } from './find-prompt.ts';

interface StoredFile {
  readonly filename: string;
  readonly subfolder: string;
  readonly type: string;
}

/** The files that a finished graph saved, or its text when it made nothing else. */
export async function fetchOutputs(
  backend: Backend,
  options: { job: ProviderJob; entry: HistoryEntry; nodes: readonly string[] | undefined; index: number },
): Promise<ProducedOutput[]> {
  const { job, index } = options;
  const { files, texts } = readOutputs(options.entry, options.nodes);
  if (files.length === 0 && texts.length > 0) {
    const path = join(job.workDir, `output-${index}.txt`);
    await writeFile(path, texts.join('\n'));
    return [{ path }];
  }
  const found = files.map((file) => ({
    url: `${backend.url}/view?${new URLSearchParams({ ...file })}`,
    name: file.filename,
  }));
  return saveFiles(backend, { job, files: found, index });
}

/** Nodes list their files under several names (images, gifs, video, audio, 3d); each is a list of the same records. */
function readOutputs(
  entry: HistoryEntry,
  nodes: readonly string[] | undefined,
): { files: StoredFile[]; texts: string[] } {
  const byNode = asRecord(entry.outputs);
  const lists = (nodes ?? Object.keys(byNode)).flatMap((node) => Object.values(asRecord(byNode[node])));
  const items = lists.flatMap((each): unknown[] => (Array.isArray(each) ? each : []));
  const files = items
    .map(asRecord)
    .flatMap(({ filename, subfolder, type }) =>
      typeof filename === 'string'
        ? [{ filename, subfolder: String(subfolder ?? ''), type: String(type ?? 'output') }]
        : [],
    );
  // Previews are files too, and count only where the route names their node or nothing was saved.
  const saved = files.filter(({ type }) => type === 'output');
  return {
    files: nodes === undefined && saved.length > 0 ? saved : files,
    texts: items.filter((each) => typeof each === 'string' && each.trim() !== '') as string[],
  };
}
