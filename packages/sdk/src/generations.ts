import { ApiError, AtelierError } from './api-error.ts';
import type { MediaSource } from './media-source.ts';
import { type FinishedGeneration, withDownloads } from './outputs.ts';
import { type PagePromise, paginate } from './paginate.ts';
import type {
  Concurrency,
  CreateGenerationBody,
  Generation,
  GenerationPage,
  ListGenerationsQuery,
  ParamName,
  ParamValue,
} from './schemas.ts';
import { pathId, type RequestOptions, type Transport } from './transport.ts';
import type { createUploads, UploadProgress } from './uploads.ts';
import { type WaitOptions, waitForGeneration } from './wait-for-generation.ts';
import { createGenerationWatch } from './watch-generations.ts';

const PATH = '/v1/generations';
const KEY_BYTES = 16;

export interface CreateOptions extends RequestOptions {
  /** 16 to 128 characters of A-Z a-z 0-9 _ -. Random by default; every retry sends the same. */
  readonly idempotencyKey?: string | undefined;
}

type Media = MediaSource | Promise<MediaSource>;
type RunParams = { readonly [Name in ParamName]?: ParamValue | Media | readonly (string | Media)[] };
type WithFiles<Body> = Body extends unknown ? Omit<Body, 'params'> & { readonly params: RunParams } : never;

/** The body of `create`, whose media params can also be files: they are uploaded first. */
export type RunBody = WithFiles<CreateGenerationBody>;

export interface RunOptions extends WaitOptions, Pick<CreateOptions, 'idempotencyKey'> {
  readonly onUpload?: ((progress: UploadProgress & { readonly param: ParamName }) => void) | undefined;
  /** Called when the generation is queued and its coins are held. */
  readonly onCreated?: ((generation: Generation) => void) | undefined;
}

export function createGenerations(transport: Transport, uploads: ReturnType<typeof createUploads>) {
  const watch = createGenerationWatch(transport);
  const read = (id: string, options?: RequestOptions) =>
    transport.request<Generation>({ method: 'GET', path: `${PATH}/${pathId(id)}`, options });

  const generations = {
    /** Queues a generation and holds its price. Retries never create or pay for a second one. */
    async create(body: CreateGenerationBody, options: CreateOptions = {}): Promise<Generation> {
      const key = options.idempotencyKey ?? createKey();
      return transport.request({
        method: 'POST',
        path: PATH,
        json: body,
        headers: { 'idempotency-key': key },
        options,
      });
    },

    async get(id: string, options?: RequestOptions): Promise<FinishedGeneration> {
      return withDownloads(transport, await read(id, options));
    },

    /** Newest first. */
    list: (query: ListGenerationsQuery = {}, options?: RequestOptions): PagePromise<Generation> =>
      paginate(async (cursor) => {
        const page = await transport.request<GenerationPage>({
          method: 'GET',
          path: PATH,
          query: { ...query, cursor },
          options,
        });
        return { items: page.items, next: page.nextCursor, position: page.nextCursor };
      }, query.cursor),

    /** Only while queued. The held coins are released. One that is canceled already is returned as it is. */
    async cancel(id: string, options?: RequestOptions): Promise<Generation> {
      try {
        return await transport.request({ method: 'POST', path: `${PATH}/${pathId(id)}/cancel`, options });
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'not_cancelable') throw error;
        // The response to the first attempt may have been lost.
        const generation = await read(id, options);
        if (generation.status === 'canceled') return generation;
        throw error;
      }
    },

    /** How many generations may run at once, and how many run and wait now. */
    concurrency: (options?: RequestOptions): Promise<Concurrency> =>
      transport.request({ method: 'GET', path: `${PATH}/concurrency`, options }),

    /** Waits for the end. Throws GenerationFailedError, GenerationCanceledError or GenerationTimeoutError. */
    async wait(generation: string | Generation, options: WaitOptions = {}): Promise<FinishedGeneration> {
      const signal = { signal: options.signal };
      const first = typeof generation === 'string' ? await read(generation, signal) : generation;
      const ended = await waitForGeneration({ watch, read: (id) => read(id, signal) }, first, options);
      return withDownloads(transport, ended);
    },

    /**
     * Uploads the files among the params, creates the generation and waits for its outputs. An aborted signal or a timeout
     * ends the wait, not the generation.
     */
    async run(body: RunBody, options: RunOptions = {}): Promise<FinishedGeneration> {
      const { signal, idempotencyKey, onUpload } = options;
      const params = await uploadParams(body.params, (file, param) =>
        uploads.create(file, { signal, onProgress: (progress) => onUpload?.({ ...progress, param }) }),
      );
      const created = await generations.create({ ...body, params } as CreateGenerationBody, { signal, idempotencyKey });
      options.onCreated?.(created);
      return generations.wait(created, options);
    },
  };
  return generations;
}

/** Replaces every file by the id of its upload. A file that is used twice is sent once. */
async function uploadParams(
  params: RunParams,
  send: (file: MediaSource, param: ParamName) => Promise<{ id: string }>,
): Promise<Record<string, unknown>> {
  const sent = new Map<unknown, Promise<string>>();
  const replace = (value: unknown, param: ParamName): unknown => {
    if (Array.isArray(value)) return Promise.all(value.map((item) => replace(item, param)));
    if (typeof value !== 'object' || value === null) return value;
    const id = sent.get(value) ?? upload(value as Media, param);
    sent.set(value, id);
    return id;
  };
  const upload = async (file: Media, param: ParamName) => (await send(await file, param)).id;
  const entries = Object.entries(params).map(async ([name, value]) => [name, await replace(value, name as ParamName)]);
  return Object.fromEntries(await Promise.all(entries));
}

function createKey(): string {
  if (globalThis.crypto === undefined) throw new AtelierError('This runtime has no Web Crypto API');
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return `sdk-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
