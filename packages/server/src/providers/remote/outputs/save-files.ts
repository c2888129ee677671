import { join } from 'node:path';
import type { DownloadFormat, ProducedOutput, ProviderJob, Stem } from '../../provider.ts';
import type { Backend } from '../backend.ts';
import { saveOutput } from './save-output.ts';

const MAX_FILES = 64;
const FORMATS: ReadonlySet<string> = new Set(['obj', 'fbx', 'usdz', 'stl'] satisfies DownloadFormat[]);
const STEMS: ReadonlySet<unknown> = new Set(['vocals', 'drums', 'bass', 'other'] satisfies Stem[]);

export interface RemoteFile {
  readonly url: string;
  /** Only its extension is used: other formats of a 3D model are kept beside it. */
  readonly name: string;
}

/** The files of one run, as many outputs as the job asked for. */
export async function saveFiles(
  backend: Backend,
  { job, files, index }: { job: ProviderJob; files: readonly RemoteFile[]; index: number },
): Promise<ProducedOutput[]> {
  const outputs: ProducedOutput[] = [];
  const downloads: { format: DownloadFormat; path: string }[] = [];
  for (const [position, { url, name }] of files.slice(0, MAX_FILES).entries()) {
    const format = name.split('.').pop()?.toLowerCase() ?? '';
    const isDownload = FORMATS.has(format);
    if (!isDownload && outputs.length >= job.outputs) continue;
    const path = join(job.workDir, `output-${index}-${position}`);
    await saveOutput(backend, { url, path, signal: job.signal });
    if (isDownload) downloads.push({ format: format as DownloadFormat, path });
    else outputs.push({ path, ...stemOf(job) });
  }
  const [first, ...others] = outputs;
  return first === undefined || downloads.length === 0 ? outputs : [{ ...first, downloads }, ...others];
}

function stemOf({ taskType, params }: ProviderJob): { stem?: Stem } {
  return taskType === 'audio.isolate' && STEMS.has(params.stem) ? { stem: params.stem as Stem } : {};
}
