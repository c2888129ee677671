import { request as send } from 'undici';
import type { ModerationSettings } from './safety-settings.ts';
import { type SafetyCategory, SafetyUnavailable, type Verdict } from './verdict.ts';

const MAX_TEXT_LENGTH = 20_000;
const MAX_ANSWER_BYTES = 256 * 1024;
const MAX_VERSION_LENGTH = 80;

/** Maps prefixes of OpenAI's category names to ours. The first match counts. */
const CATEGORIES: ReadonlyArray<readonly [prefix: string, category: SafetyCategory]> = [
  ['sexual/minors', 'sexual-minors'],
  ['sexual', 'sexual'],
  ['violence', 'violence-gore'],
  ['hate', 'hate'],
  ['harassment', 'hate'],
  ['self-harm', 'self-harm'],
  ['illicit', 'weapons-instructions'],
];

/** Calls a server that implements POST /v1/moderations. Throws SafetyUnavailable when there is no usable answer in time. */
export async function askModeration(
  text: string,
  settings: ModerationSettings & { readonly url: string },
  signal?: AbortSignal,
): Promise<Verdict> {
  const limits = [AbortSignal.timeout(settings.timeoutMs), ...(signal === undefined ? [] : [signal])];
  try {
    const answer = await send(new URL('/v1/moderations', settings.url), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(settings.apiKey === null ? {} : { authorization: `Bearer ${settings.apiKey}` }),
      },
      body: JSON.stringify({
        input: text.slice(0, MAX_TEXT_LENGTH),
        ...(settings.model === null ? {} : { model: settings.model }),
      }),
      signal: AbortSignal.any(limits),
    });
    const body = await readBounded(answer.body);
    if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}`);
    return readAnswer(JSON.parse(body), settings.threshold);
  } catch (error) {
    signal?.throwIfAborted();
    throw new SafetyUnavailable(`moderation server: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function readBounded(stream: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of stream) {
    bytes += piece.length;
    // Leaving the loop ends the connection.
    if (bytes > MAX_ANSWER_BYTES) throw new Error('response too large');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** The server's own flag counts too: it has a threshold per category, and ours is one for all. */
function readAnswer(answer: unknown, threshold: number): Verdict {
  const { results, model } = answer as { results?: unknown; model?: unknown };
  const [result] = (Array.isArray(results) ? results : []) as Array<Record<string, unknown> | null>;
  if (typeof result !== 'object' || result === null || typeof result['flagged'] !== 'boolean')
    throw new Error('response has no results[0].flagged');
  let [name, score] = ['', 0];
  for (const [each, value] of Object.entries(result['category_scores'] ?? {})) {
    if (typeof value === 'number' && value > score) [name, score] = [each, Math.min(1, value)];
  }
  if (name === '') {
    name = Object.entries(result['categories'] ?? {}).find(([, hit]) => hit === true)?.[0] ?? '';
    score = result['flagged'] ? 1 : 0;
  }
  return {
    flagged: result['flagged'] || score >= threshold,
    category: CATEGORIES.find(([prefix]) => name.startsWith(prefix))?.[1] ?? null,
    score,
    engine: 'remote-moderation',
    version: typeof model === 'string' ? model.slice(0, MAX_VERSION_LENGTH) : 'unknown',
  };
}
