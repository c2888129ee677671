import type { Asset } from '@atelier/contract';
import { ApiProblem, readProblem } from './problem.ts';
import { buildUrl } from './request.ts';

const TIMEOUT_MS = 600_000;

/** Sends a file and reports the share that has arrived. `fetch` cannot report it. Throws `ApiProblem`. */
export function upload(options: {
  accountId: string;
  file: Blob;
  signal: AbortSignal;
  onProgress(share: number): void;
}): Promise<Asset> {
  const { accountId, file, signal, onProgress } = options;
  return new Promise((resolve, reject) => {
    const exchange = new XMLHttpRequest();
    exchange.open('POST', buildUrl('/v1/uploads', { params: { accountId } }));
    exchange.setRequestHeader('x-atelier-console', '1');
    exchange.timeout = TIMEOUT_MS;
    exchange.upload.addEventListener('progress', ({ loaded, total, lengthComputable }) => {
      if (lengthComputable && total > 0) onProgress(loaded / total);
    });
    for (const name of ['error', 'timeout', 'abort'] as const) {
      exchange.addEventListener(name, () => reject(new ApiProblem(null)));
    }
    exchange.addEventListener('load', () => {
      if (exchange.status < 400) {
        resolve(JSON.parse(exchange.responseText) as Asset);
        return;
      }
      const retryAfter = exchange.getResponseHeader('retry-after');
      const headers = retryAfter === null ? {} : { 'retry-after': retryAfter };
      void readProblem(new Response(exchange.responseText, { status: exchange.status, headers })).then(reject);
    });
    signal.addEventListener('abort', () => exchange.abort(), { once: true });
    const body = new FormData();
    body.append('file', file);
    exchange.send(body);
  });
}
