import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ProducedOutput, ProviderError, type ProviderJob } from '../provider.ts';
import type { Backend } from '../remote/backend.ts';
import { callJson } from '../remote/call-json.ts';
import { asRecord } from '../remote/explain-answer.ts';
import type { Field } from '../remote/fields/field-map.ts';
import { encodeForm } from './encode-fields.ts';
import { formatSrt, formatVtt, type Segment } from './subtitles.ts';

const MAX_SEGMENTS = 20_000;

/** Transcribes a recording to text, with subtitles if the backend returns timestamps. */
export async function transcribe(
  backend: Backend,
  { job, fields }: { job: ProviderJob; fields: readonly Field[] },
): Promise<ProducedOutput[]> {
  const { value } = await callJson(backend, {
    method: 'POST',
    path: '/audio/transcriptions',
    form: await encodeForm(fields, job),
    timeoutMs: backend.timeouts.makeMs,
    signal: job.signal,
  });
  const { text, segments } = asRecord(value);
  if (typeof text !== 'string')
    throw new ProviderError('unavailable', 'The response of the backend has no text.', { retryable: true });
  if (text.trim() === '') throw new ProviderError('invalid_input', 'No speech was found in the recording.');
  const path = join(job.workDir, 'transcript.txt');
  await writeFile(path, `${text.trim()}\n`);
  const timed = readSegments(segments);
  if (timed.length === 0) return [{ path }];
  const [srtPath, vttPath] = [join(job.workDir, 'transcript.srt'), join(job.workDir, 'transcript.vtt')];
  await writeFile(srtPath, formatSrt(timed));
  await writeFile(vttPath, formatVtt(timed));
  return [{ path, subtitles: { srtPath, vttPath } }];
}

function readSegments(value: unknown): Segment[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, MAX_SEGMENTS).flatMap((each) => {
    const { start, end, text } = asRecord(each);
    const isTimed = typeof start === 'number' && typeof end === 'number' && typeof text === 'string';
    return isTimed && text.trim() !== '' ? [{ start, end: Math.max(start, end), text }] : [];
  });
}
