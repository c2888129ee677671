import { FFMPEG_READ_OPTIONS } from '@atelier/contract';
import type { ProgramResult } from '../confine/run-program.ts';
import { COPY_DEADLINE_MS, type PacketCopy } from './copy-packets.ts';
import { MediaRefused } from './media-facts.ts';
import type { MediaTools } from './media-tools.ts';

interface FfmpegRead {
  readonly path: string;
  /** Options of the input. */
  readonly decode: readonly string[];
  /** The stream of the file to read, as in `-map`. */
  readonly stream: string;
  /** Options of the output, which is standard output. */
  readonly encode: readonly string[];
  readonly deadlineMs: number;
  readonly maxOutputBytes: number;
  readonly onOutput?: (piece: Buffer) => void;
  /**
   * A second output of the same run, taken if the run succeeds. The run then fails at any error of the file; without the
   * copy, what can be decoded is enough.
   */
  readonly copy?: PacketCopy;
}

/** Decodes one stream of a file with ffmpeg. */
export async function readWithFfmpeg(tools: MediaTools, read: FfmpegRead): Promise<ProgramResult> {
  const { path, copy } = read;
  const result = await tools.runProgram({
    program: 'ffmpeg',
    args: (place) => [
      ...(copy ? [...copy.before, ...copy.input(place)] : ['-v', 'error', '-nostdin']),
      ...['-threads', '1', ...FFMPEG_READ_OPTIONS, ...read.decode, '-i', `file:${place(path)}`],
      ...['-map', `${copy ? 1 : 0}:${read.stream}`, ...read.encode, 'pipe:1'],
      ...(copy ? copy.output(place) : []),
    ],
    mounts: copy ? copy.mounts : [{ from: path, to: '/in/file' }],
    deadlineMs: copy ? COPY_DEADLINE_MS : read.deadlineMs,
    maxOutputBytes: read.maxOutputBytes,
    ...(copy ? { maxFileBytes: copy.maxFileBytes } : {}),
    ...(read.onOutput ? { onOutput: read.onOutput } : {}),
  });
  if (copy && result.reason === 'timeout') throw new MediaRefused('upload_invalid', 'The file takes too long to read.');
  if (copy && result.ok) await copy.take();
  return result;
}
