import { ApiError } from './api-error.ts';
import { findNodeModule } from './environment.ts';
import { ConnectionError } from './errors.ts';
import { readProblem } from './read-problem.ts';
import type { Asset, Generation } from './schemas.ts';
import { pathId, type RequestOptions, type Transport } from './transport.ts';

export interface DownloadOptions extends Pick<RequestOptions, 'signal'> {}

export interface Output extends Asset {
  /** The whole file. Works also after the link has expired. */
  download(options?: DownloadOptions): Promise<Blob>;
  stream(options?: DownloadOptions): Promise<ReadableStream<Uint8Array>>;
  /** Writes the file to disk (Node, Deno, Bun). A failed download leaves no file. */
  save(path: string, options?: DownloadOptions): Promise<void>;
}

export interface FinishedGeneration extends Generation {
  readonly outputs: Output[];
}

export function createAssets(transport: Transport) {
  return {
    /** The file with new download links, valid for about an hour. */
    get: (id: string, options?: RequestOptions) => getAsset(transport, id, options),
    /** Adds the methods for downloads to an asset, for example to one of a webhook. */
    withDownload: (asset: Asset): Output => withDownload(transport, asset),
  };
}

const getAsset = (transport: Transport, id: string, options?: RequestOptions) =>
  transport.request<Asset>({ method: 'GET', path: `/v1/assets/${pathId(id)}`, options });

export function withDownloads(transport: Transport, generation: Generation): FinishedGeneration {
  return { ...generation, outputs: generation.outputs.map((asset) => withDownload(transport, asset)) };
}

function withDownload(transport: Transport, asset: Asset): Output {
  /** The attempts are retried as a whole, because a connection can also break after the headers. */
  const read = async <T>(use: (response: Response) => Promise<T>, { signal }: DownloadOptions = {}): Promise<T> => {
    let { url } = asset;
    for (let failures = 0; ; failures += 1) {
      try {
        return await use(await openLink(transport, url, signal));
      } catch (error) {
        if (failures >= transport.maxRetries) throw error;
        if (isExpired(error)) url = (await getAsset(transport, asset.id, { signal })).url;
        else await transport.pause(error, failures, signal);
      }
    }
  };
  const methods = {
    download: (options?: DownloadOptions) =>
      read(
        inBody((response) => response.blob()),
        options,
      ),
    stream: (options?: DownloadOptions) =>
      read(async (response) => response.body as ReadableStream<Uint8Array>, options),
    save: (path: string, options?: DownloadOptions) =>
      read(
        inBody((response) => writeBody(response, path)),
        options,
      ),
  };
  // Not enumerable: a printed or serialized output shows only its fields.
  return Object.defineProperties(
    { ...asset },
    Object.fromEntries(Object.entries(methods).map(([name, value]) => [name, { value }])),
  ) as Output;
}

/** The link is signed, so the key is not sent. */
async function openLink(transport: Transport, url: string, signal: AbortSignal | undefined): Promise<Response> {
  const response = await transport.fetch(url, signal === undefined ? {} : { signal }).catch((error: unknown) => {
    if (signal?.aborted) throw signal.reason;
    throw new ConnectionError('The download failed', { cause: error });
  });
  if (!response.ok) throw readProblem(response, await response.text());
  return response;
}

const inBody =
  <T>(use: (response: Response) => Promise<T>) =>
  async (response: Response): Promise<T> => {
    try {
      return await use(response);
    } catch (error) {
      if ((error as { code?: string }).code?.startsWith('E')) throw error;
      throw new ConnectionError('The download broke off', { cause: error });
    }
  };

const isExpired = (error: unknown) => error instanceof ApiError && [401, 403, 404, 410].includes(error.status);

async function writeBody(response: Response, path: string): Promise<void> {
  const fs = findNodeModule<typeof import('node:fs/promises')>('fs/promises');
  const part = `${path}.part`;
  try {
    await fs.writeFile(part, response.body as never);
    await fs.rename(part, path);
  } catch (error) {
    await fs.rm(part, { force: true });
    throw error;
  }
}
