import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ParamValues } from '@atelier/contract';
import { type ProducedOutput, ProviderError, type ProviderJob } from '../../provider.ts';
import type { Backend } from '../backend.ts';
import { asRecord } from '../explain-answer.ts';
import { saveFiles } from './save-files.ts';

const MAX_DEPTH = 4;

/** The files that a model's output names at any depth, or its text if it names none. */
export async function takeOutputs(
  backend: Backend,
  options: { job: ProviderJob; output: unknown; path: string | undefined; index: number },
): Promise<readonly ProducedOutput[]> {
  const { job, index } = options;
  const found = listStrings(pick(options.output, options.path, job.params));
  const urls = found.filter((each) => /^(https?:|data:)/i.test(each));
  if (urls.length === 0 && found.length > 0) {
    const path = join(job.workDir, `output-${index}.txt`);
    await writeFile(path, found.join(''));
    return [{ path }];
  }
  const files = urls.map((url) => ({ url, name: url.startsWith('data:') ? '' : (url.split(/[?#]/)[0] ?? '') }));
  const outputs = await saveFiles(backend, { job, files, index });
  if (outputs.length === 0) throw new ProviderError('internal', 'The backend returned no output.');
  return outputs;
}

function pick(value: unknown, path: string | undefined, params: ParamValues): unknown {
  if (path === undefined) return value;
  return path.split('.').reduce<unknown>((at, step) => {
    const name = step.startsWith('$') ? String(params[step.slice(1) as keyof ParamValues] ?? '') : step;
    return Array.isArray(at) ? at[Number(name)] : asRecord(at)[name];
  }, value);
}

function listStrings(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  if (depth >= MAX_DEPTH || typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((each) => listStrings(each, depth + 1));
}
