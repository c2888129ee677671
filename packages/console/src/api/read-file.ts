import { ApiProblem } from './problem.ts';

const TIMEOUT_MS = 120_000;

export interface FileBytes {
  readonly bytes: Blob;
  /** As the file host names it. */
  readonly filename: string;
}

/** Reads a file by its signed link, without cookies. Throws `ApiProblem`, also if the file is larger than `maxBytes`. */
export async function readFile(
  url: string,
  { maxBytes, signal }: { maxBytes: number; signal?: AbortSignal },
): Promise<FileBytes> {
  const limits = [AbortSignal.timeout(TIMEOUT_MS), ...(signal === undefined ? [] : [signal])];
  try {
    const response = await fetch(url, { credentials: 'omit', signal: AbortSignal.any(limits) });
    if (!response.ok || response.body === null) throw new Error(`status ${response.status}`);
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    let size = 0;
    // A file without a length is counted while it arrives.
    for (const reader = response.body.getReader(); ; ) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.byteLength;
      if (size > maxBytes) {
        await reader.cancel();
        throw new Error('too large');
      }
      chunks.push(value);
    }
    const disposition = response.headers.get('content-disposition') ?? '';
    return {
      bytes: new Blob(chunks, { type: response.headers.get('content-type') ?? '' }),
      filename: readFilename(disposition) ?? 'file',
    };
  } catch {
    throw new ApiProblem(null);
  }
}

/** The name in a Content-Disposition header. The extended form wins: it holds the characters that the other replaces. */
export function readFilename(disposition: string): string | null {
  const extended = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1];
  const name = extended === undefined ? /filename="([^"]*)"/i.exec(disposition)?.[1] : decodeURIComponent(extended);
  return name === undefined || name === '' ? null : name;
}
