import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Asset, Generation, QuoteResponse } from '@atelier/contract';
import { request } from 'undici';
import { call, newIdempotencyKey } from '../e2e/harness/client.ts';
import type { GalleryCase } from './read-cases.ts';

const POLL_MS = 250;
const MAX_WAIT_MS = 900_000;
const DURATION_TOLERANCE_SECONDS = 0.3;

export interface CaseResult {
  readonly case: GalleryCase;
  readonly generation: Generation | null;
  readonly seconds: number;
  readonly coins: number;
  /** File names in the output folder. */
  readonly files: { readonly output: string; readonly picture: string } | null;
  /** Unexpected results; empty on success. */
  readonly faults: readonly string[];
}

/** Runs one case like a client: quote, submit, poll, download, check the outputs. */
export async function runCase(options: {
  url: string;
  key: string;
  each: GalleryCase;
  name: string;
  uploadIdOf: (file: string) => Promise<string>;
  outDir: string;
}): Promise<CaseResult> {
  const { url, key, each } = options;
  const media: Record<string, unknown> = {};
  for (const [param, files] of Object.entries(each.inputs ?? {})) {
    media[param] = Array.isArray(files)
      ? await Promise.all(files.map(options.uploadIdOf))
      : await options.uploadIdOf(files);
  }
  const body = {
    modelId: each.model,
    params: { ...each.params, ...media },
    ...(each.effect === undefined ? {} : { effectId: each.effect }),
  };
  const failed = (fault: string) => ({
    case: each,
    generation: null,
    seconds: 0,
    coins: 0,
    files: null,
    faults: [fault],
  });
  const quote = await call<QuoteResponse>(url, 'POST /v1/quotes', { key, json: body });
  if (quote.status !== 200 || quote.body.quoteToken === null) return failed(`quote: ${quote.status} ${quote.text}`);
  const submitted = await call<Generation>(url, 'POST /v1/generations', {
    key,
    headers: { 'idempotency-key': newIdempotencyKey() },
    json: { ...body, quoteToken: quote.body.quoteToken, consent: true },
  });
  if (submitted.status !== 201) return failed(`submit: ${submitted.status} ${submitted.text}`);
  const generation = await follow(url, key, submitted.body.id);
  const seconds = (Date.parse(generation.completedAt ?? '') - Date.parse(generation.startedAt ?? '')) / 1000;
  const coins = generation.coinsCharged ?? 0;
  const [output] = generation.outputs;
  const faults: string[] = [];
  if (generation.status !== 'succeeded' || output === undefined) {
    faults.push(`${generation.status}: ${JSON.stringify(generation.error)}`);
    return { case: each, generation, seconds, coins, files: null, faults };
  }
  if (coins !== quote.body.coins) faults.push(`charged ${coins} instead of ${quote.body.coins} coins`);
  faults.push(...judge(output, each.expect));
  const extension = output.mimeType
    .split(/[/+]/)[1]!
    .replace('plain', 'txt')
    .replace('gltf-binary', 'glb')
    .replace('gltf', 'glb');
  const files = { output: `${options.name}.${extension}`, picture: `${options.name}.thumb.webp` };
  await download(output.url, join(options.outDir, files.output));
  await download(output.posterUrl ?? output.thumbnailUrl, join(options.outDir, files.picture));
  return { case: each, generation, seconds, coins, files, faults };
}

async function follow(url: string, key: string, id: string): Promise<Generation> {
  const end = Date.now() + MAX_WAIT_MS;
  for (;;) {
    const { body } = await call<Generation>(url, `GET /v1/generations/${id}`, { key });
    if (!['queued', 'processing'].includes(body.status) || Date.now() > end) return body;
    await sleep(POLL_MS);
  }
}

function judge(output: Asset, wanted: GalleryCase['expect']): string[] {
  const faults: string[] = [];
  const compare = (name: string, found: unknown, expected: unknown) => {
    if (expected !== undefined && found !== expected)
      faults.push(`${name} is ${String(found)}, not ${String(expected)}`);
  };
  compare('kind', output.kind, wanted.kind);
  compare('width', output.width, wanted.width);
  compare('height', output.height, wanted.height);
  compare('transparent', output.transparent ?? false, wanted.transparent);
  if (
    wanted.seconds !== undefined &&
    !(Math.abs((output.durationSeconds ?? 0) - wanted.seconds) <= DURATION_TOLERANCE_SECONDS)
  ) {
    faults.push(`lasts ${output.durationSeconds} s, not ${wanted.seconds} s`);
  }
  for (const format of wanted.downloads ?? []) {
    if (!output.downloads?.some((each) => each.format === format))
      faults.push(`has no download in the format ${format}`);
  }
  return faults;
}

async function download(link: string, path: string): Promise<void> {
  const answer = await request(link);
  if (answer.statusCode !== 200) throw new Error(`a link returned ${answer.statusCode}`);
  await writeFile(path, Buffer.from(await answer.body.arrayBuffer()));
}
