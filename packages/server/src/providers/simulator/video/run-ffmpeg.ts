import { spawn } from 'node:child_process';
import { ProviderError } from '../../provider.ts';

export interface FfmpegOptions {
  readonly ffmpegPath: string;
  readonly args: readonly string[];
  readonly stdin: Uint8Array;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const MAX_STDERR_CHARS = 2_000;

/** Settles only when the process is gone, so that nothing writes into a folder its owner has removed. */
export async function runFfmpeg({ ffmpegPath, args, stdin, timeoutMs, signal }: FfmpegOptions): Promise<void> {
  signal.throwIfAborted();
  const child = spawn(ffmpegPath, args, { stdio: ['pipe', 'ignore', 'pipe'] });
  const kill = (): void => void child.kill('SIGKILL');
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    kill();
  }, timeoutMs);
  signal.addEventListener('abort', kill, { once: true });
  try {
    let complaint = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaint = (complaint + text).slice(0, MAX_STDERR_CHARS);
    });
    // A process that ends early closes its side; its exit code says why.
    child.stdin.on('error', () => {}).end(stdin);
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject).once('close', resolve);
    }).catch((cause: unknown) => {
      throw new ProviderError('internal', 'ffmpeg could not be started.', { cause, retryable: true });
    });
    signal.throwIfAborted();
    if (timedOut) throw new ProviderError('timeout', `ffmpeg took longer than ${timeoutMs} ms.`, { retryable: true });
    if (code !== 0) {
      const cause = new Error(complaint);
      throw new ProviderError('internal', `ffmpeg ended with code ${code}.`, { cause, retryable: true });
    }
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', kill);
  }
}
