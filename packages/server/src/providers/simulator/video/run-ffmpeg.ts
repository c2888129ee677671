import { runProgram } from '../../../confine/run-program.ts';
import { ProviderError } from '../../provider.ts';

export interface FfmpegOptions {
  readonly ffmpegPath: string;
  readonly args: readonly string[];
  readonly stdin: Uint8Array;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** ffmpeg writes to a file: its standard output is empty. */
const MAX_OUTPUT_BYTES = 65_536;

export async function runFfmpeg({ ffmpegPath, args, stdin, timeoutMs, signal }: FfmpegOptions): Promise<void> {
  const { ok, reason, complaint } = await runProgram({
    path: ffmpegPath,
    args,
    input: stdin,
    deadlineMs: timeoutMs,
    maxOutputBytes: MAX_OUTPUT_BYTES,
    signal,
  }).catch((cause: unknown) => {
    signal.throwIfAborted();
    throw new ProviderError('internal', 'ffmpeg could not be started.', { cause, retryable: true });
  });
  if (reason === 'timeout')
    throw new ProviderError('timeout', `ffmpeg took longer than ${timeoutMs} ms.`, { retryable: true });
  if (!ok) throw new ProviderError('internal', 'ffmpeg failed.', { cause: new Error(complaint), retryable: true });
}
