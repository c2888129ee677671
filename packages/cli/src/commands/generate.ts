import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Atelier, FinishedGeneration, GenerationProgress } from '@atelier/sdk';
import type { Command, Context } from '../command.ts';
import { Interrupted, PriceRefused, UsageError } from '../exit-code.ts';
import { IMAGE_PROTOCOLS, showPicture } from '../pictures/show-picture.ts';
import { needInteger, needOneOf } from '../read-command.ts';
import { clean } from '../terminal.ts';
import { PARAM_DETAILS, PARAM_OPTIONS, type Priced, priceRequest, renderPrice } from './price.ts';

const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
  'audio/ogg': 'ogg',
  'audio/mp4': 'm4a',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
  'model/gltf-binary': 'glb',
  'text/plain': 'txt',
};

export const SAVE_OPTIONS = {
  output: { says: 'folder for the files of the outputs', short: 'o', value: 'DIR' },
  images: { says: 'how to draw pictures', value: 'PROTOCOL', values: IMAGE_PROTOCOLS },
} as const;

export const quoteCommand: Command = {
  summary: 'print the exact price of a request',
  args: ['MODEL'],
  options: PARAM_OPTIONS,
  takesParams: true,
  details: PARAM_DETAILS,
  async run(context) {
    const { quote } = await priceRequest(context, await context.client());
    context.terminal.print(context.json ? JSON.stringify(quote) : renderPrice(quote));
    return 0;
  },
};

export const generateCommand: Command = {
  summary: 'show the price, create a generation, wait and save its outputs',
  args: ['MODEL'],
  options: {
    ...PARAM_OPTIONS,
    'max-coins': { says: 'pay at most this, without a question', value: 'COINS' },
    yes: { says: 'pay the quoted price without a question', short: 'y' },
    ...SAVE_OPTIONS,
    consent: { says: 'the people in the input agree to its use' },
    project: { says: 'id of a project', value: 'ID' },
    key: {
      says: 'idempotency key: the same command with the same key pays once; give inputs as upload ids',
      value: 'KEY',
    },
    'no-wait': { says: 'print the id and do not wait' },
    timeout: { says: 'how long to wait (default 600)', value: 'SECONDS' },
  },
  takesParams: true,
  details: PARAM_DETAILS,
  async run(context) {
    const { terminal, signal, options, flags } = context;
    const timeoutSeconds = needInteger(context, 'timeout');
    const maxCoins = needInteger(context, 'max-coins');
    needOneOf(context, 'images', IMAGE_PROTOCOLS);
    const client = await context.client();
    const priced = await priceRequest(context, client);
    terminal.note(`Price: ${renderPrice(priced.quote)}`);
    await acceptPrice(context, priced, maxCoins);
    const created = await client.generations.create(
      {
        ...{ modelId: priced.body.modelId, params: priced.body.params },
        // A repeated command has a new token, and a key allows only one body.
        ...(options.key === undefined
          ? { quoteToken: priced.quote.quoteToken ?? '' }
          : { maxCoins: maxCoins ?? priced.quote.coins }),
        ...(priced.body.effectId === undefined ? {} : { effectId: priced.body.effectId }),
        ...(options.project === undefined ? {} : { projectId: options.project }),
        ...(flags.has('consent') ? { consent: true as const } : {}),
      },
      { signal, idempotencyKey: options.key },
    );
    terminal.note(`Generation ${created.id}`);
    if (flags.has('no-wait')) {
      terminal.print(context.json ? JSON.stringify(created) : created.id);
      return 0;
    }
    const ended = await waitWithBar(context, client, created.id, timeoutSeconds);
    return finish(context, ended);
  },
};

async function acceptPrice({ terminal, flags, signal }: Context, { quote }: Priced, maxCoins?: number): Promise<void> {
  if (maxCoins !== undefined) {
    if (quote.coins <= maxCoins) return;
    throw new PriceRefused(`The price of ${quote.coins} coins is above --max-coins ${maxCoins}. Nothing was charged.`);
  }
  if (flags.has('yes')) return;
  if (!terminal.isInteractive()) throw new UsageError('pass --max-coins or --yes: there is no terminal to ask');
  const isAccepted = await terminal.ask(`Pay ${quote.coins} coins?`);
  signal.throwIfAborted();
  if (!isAccepted) throw new PriceRefused('Nothing was charged.');
}

export async function waitWithBar(context: Context, client: Atelier, id: string, timeoutSeconds = 600) {
  const { terminal, signal } = context;
  try {
    return await client.generations.wait(id, {
      signal,
      timeoutMs: timeoutSeconds * 1000,
      onProgress: (progress) => terminal.status(describe(progress), progress.progress ?? 0),
    });
  } catch (error) {
    if (error instanceof Interrupted) {
      terminal.note(`The generation continues. See it with: atelier get ${id}\nWhile queued: atelier cancel ${id}`);
    }
    throw error;
  } finally {
    terminal.endStatus();
  }
}

const describe = ({ status, queuePosition }: GenerationProgress) =>
  queuePosition === null || queuePosition === undefined ? status : `${status}, position ${queuePosition}`;

/** Saves, draws and prints the outputs. */
export async function finish(context: Context, generation: FinishedGeneration): Promise<0> {
  const { terminal, options, json, signal, env } = context;
  const folder = options.output;
  const files: (string | null)[] = [];
  for (const [n, output] of generation.outputs.entries()) {
    const extension = EXTENSIONS[output.mimeType] ?? 'bin';
    const path = folder === undefined ? null : join(folder, `${generation.id}-${n + 1}.${extension}`);
    if (folder !== undefined) await mkdir(folder, { recursive: true });
    if (path !== null) await output.save(path, { signal });
    files.push(path);
    if (!json) await showPicture({ env, terminal, protocol: options.images }, output);
  }
  if (json) {
    const outputs = generation.outputs.map((output, n) => ({ ...output, file: files[n] }));
    terminal.print(JSON.stringify({ ...generation, outputs }));
    return 0;
  }
  terminal.note(`${generation.status}, ${generation.coinsCharged ?? 0} coins charged`);
  for (const [n, output] of generation.outputs.entries()) terminal.print(files[n] ?? clean(output.url));
  return 0;
}
