import { type Atelier, type CreateQuoteBody, fromPath, type Model, type QuoteResponse } from '@atelier/sdk';
import type { Context, Option } from '../command.ts';
import { UsageError } from '../exit-code.ts';
import { readParams } from '../read-params.ts';

export const PARAM_OPTIONS: Readonly<Record<string, Option>> = {
  prompt: { says: 'the prompt, or the text to speak', short: 'p', value: 'TEXT' },
  input: {
    says: 'a file or the id of an upload for a media param: photo.png or image=photo.png',
    short: 'i',
    value: 'FILE',
    isRepeatable: true,
  },
  effect: { says: 'id of an effect', value: 'ID' },
};

export const PARAM_DETAILS =
  'Every other option is a param of the model: --num-outputs 2, --aspect-ratio 16:9, --seed 7.\n`atelier models MODEL` lists them.';

export interface Priced {
  readonly model: Model;
  readonly body: CreateQuoteBody;
  readonly quote: QuoteResponse;
}

/** Uploads the input files, and asks for the exact price. */
export async function priceRequest(context: Context, client: Atelier): Promise<Priced> {
  const { terminal, signal } = context;
  const model = await client.models.get(context.args[0]!, { signal });
  const { params, files } = readParams(model, {
    prompt: context.options.prompt,
    values: context.lists.params ?? [],
    inputs: context.lists.input ?? [],
  });
  for (const { param, path, isList } of files) {
    const { id } = await client.uploads.create(await openFile(path), {
      signal,
      name: path.replace(/^.*\//, ''),
      onProgress: ({ sentBytes, totalBytes }) => terminal.status(`uploading ${path}`, sentBytes / totalBytes),
    });
    params[param] = isList ? [...((params[param] as string[]) ?? []), id] : id;
  }
  terminal.endStatus();
  const { effect } = context.options;
  const body = { modelId: model.id, params, ...(effect === undefined ? {} : { effectId: effect }) };
  return { model, body, quote: await client.quotes.create(body, { signal }) };
}

export async function openFile(path: string): Promise<Blob> {
  try {
    return await fromPath(path);
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`);
  }
}

export function renderPrice({ coins, coinsPerOutput, outputs, availableCoins }: QuoteResponse): string {
  const each = outputs === 1 ? '' : ` (${outputs} outputs, ${coinsPerOutput} each)`;
  return `${coins} coins${each}, ${availableCoins} available`;
}
