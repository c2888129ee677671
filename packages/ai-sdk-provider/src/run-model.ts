import { NoSuchModelError, type SharedV4Warning } from '@ai-sdk/provider';
import { ApiError, type Atelier, type FinishedGeneration, type Model, type RunBody } from '@atelier/sdk';
import { createParamWriter, type ParamWriter } from './param-writer.ts';
import { readCallOptions } from './read-call-options.ts';
import { toCallError } from './to-call-error.ts';

export const PROVIDER = 'atelier';
const TEXT_TIMEOUT_MS = 60_000;

type ModelType = NoSuchModelError['modelType'];

/** What the three kinds of models have in common. */
export interface ModelKind {
  readonly modelId: string;
  readonly modelType: ModelType;
  fits(model: Model): boolean;
}

export interface ModelCall {
  readonly providerOptions?: Readonly<Record<string, unknown>> | undefined;
  readonly abortSignal?: AbortSignal | undefined;
  readonly headers?: Record<string, string | undefined> | undefined;
}

export interface ModelResult {
  readonly generation: FinishedGeneration;
  readonly warnings: SharedV4Warning[];
  /** The bytes of the outputs, in their order. */
  readonly files: Uint8Array[];
}

export interface ModelRunner {
  describe(kind: ModelKind): Promise<Model>;
  /** The text behind a signed link, which needs no key. */
  readText(url: string, signal: AbortSignal | undefined): Promise<string>;
  run(kind: ModelKind, call: ModelCall, fill: (writer: ParamWriter) => void): Promise<ModelResult>;
}

export function createModelRunner(settings: {
  client: Atelier;
  fetch: typeof globalThis.fetch;
  maxCoins: number | undefined;
}): ModelRunner {
  const { client, fetch } = settings;
  const known = new Map<string, Promise<Model>>();

  /** A description is read once. A failed read is forgotten. */
  async function read(modelId: string): Promise<Model> {
    const reading = known.get(modelId) ?? client.models.get(modelId);
    known.set(modelId, reading);
    try {
      return await reading;
    } catch (error) {
      known.delete(modelId);
      throw error;
    }
  }

  async function describe({ modelId, modelType, fits }: ModelKind): Promise<Model> {
    const model = await read(modelId).catch((error: unknown) => {
      if (error instanceof ApiError && error.code === 'unknown_model') return null;
      throw toCallError(error, { url: `${client.baseUrl}/v1/models/${modelId}`, values: {} });
    });
    if (model === null || !fits(model)) throw new NoSuchModelError({ modelId, modelType });
    return model;
  }

  return {
    describe,
    async readText(url, signal) {
      const timeout = AbortSignal.timeout(TEXT_TIMEOUT_MS);
      const response = await fetch(url, {
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      });
      if (!response.ok) throw new Error(`status ${response.status}`);
      return response.text();
    },
    async run(kind, call, fill) {
      const { abortSignal: signal } = call;
      const options = readCallOptions(call.providerOptions, settings.maxCoins);
      signal?.throwIfAborted();
      const writer = createParamWriter(await describe(kind));
      warnAboutHeaders(writer, call.headers);
      fill(writer);
      const params = { ...writer.params, ...options.params };
      const { maxCoins, consent } = options;
      const body = { modelId: kind.modelId, params, maxCoins, ...(consent && { consent }) } as RunBody;
      let created: string | null = null;
      try {
        const generation = await client.generations.run(body, {
          signal,
          timeoutMs: options.timeoutMs,
          onCreated: ({ id }) => {
            created = id;
          },
        });
        const files = generation.outputs.map(async (output) => {
          const blob = await output.download({ signal });
          return new Uint8Array(await blob.arrayBuffer());
        });
        return { generation, warnings: writer.warnings, files: await Promise.all(files) };
      } catch (error) {
        if (signal?.aborted) {
          if (created !== null) cancelIfQueued(client, created);
          throw signal.reason;
        }
        throw toCallError(error, { url: `${client.baseUrl}/v1/generations`, values: body });
      }
    },
  };
}

/** The coins of a queued generation are released. One that runs already continues, and is charged. */
function cancelIfQueued(client: Atelier, id: string): void {
  client.generations.cancel(id).catch(() => {});
}

/** The AI SDK always names itself; that header is no wish of the caller. */
function warnAboutHeaders(writer: ParamWriter, headers: ModelCall['headers']): void {
  const names = Object.keys(headers ?? {}).filter((name) => name.toLowerCase() !== 'user-agent');
  if (names.length > 0) writer.warn('unsupported', 'headers', `Not sent: ${names.join(', ')}.`);
}
