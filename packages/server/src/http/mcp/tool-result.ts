import type { Asset } from '@atelier/contract';
import { readSmallFile } from '../../domain/assets/read-small-file.ts';
import type { Services } from '../../domain/services.ts';
import type { Problem } from '../../platform/problem.ts';
import { adviseAgent } from './agent-advice.ts';
import type { ToolAnswer } from './tool.ts';

/** An image up to this size is part of the result. Of a larger one, its thumbnail is. */
export const MAX_INLINE_BYTES = 512 * 1024;
export const MAX_INLINE_IMAGES = 4;
const READ_TIMEOUT_MS = 5_000;
/** What language models can see. */
const VISIBLE = new Set(['image/png', 'image/jpeg', 'image/webp']);

export type Content =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string }
  | {
      readonly type: 'resource_link';
      readonly uri: string;
      readonly name: string;
      readonly mimeType: string;
      readonly description: string;
    };

export interface ToolResult {
  readonly content: readonly Content[];
  readonly structuredContent?: object;
  readonly isError?: true;
}

/** The summary, then small images and links to all files, then the value as text for clients that ignore structured content. */
export async function renderAnswer(
  services: Pick<Services, 'db' | 'store'>,
  { summary, value, files = [] }: ToolAnswer,
): Promise<ToolResult> {
  const images = files.filter(({ kind }) => kind === 'image').slice(0, MAX_INLINE_IMAGES);
  const shown = await Promise.all(images.map((image) => readImage(services, image)));
  return {
    content: [
      { type: 'text', text: summary },
      ...shown.flatMap((image) => (image === null ? [] : [image])),
      ...files.map(linkTo),
      { type: 'text', text: JSON.stringify(value) },
    ],
    structuredContent: value,
  };
}

async function readImage(services: Pick<Services, 'db' | 'store'>, asset: Asset): Promise<Content | null> {
  const signal = AbortSignal.timeout(READ_TIMEOUT_MS);
  const read = async (variant: 'file' | 'thumbnail') => {
    const file = await readSmallFile(services, { assetId: asset.id, variant, maxBytes: MAX_INLINE_BYTES, signal });
    return file !== null && VISIBLE.has(file.mimeType) ? file : null;
  };
  try {
    const file = (await read('file')) ?? (await read('thumbnail'));
    return file === null ? null : { type: 'image', data: file.bytes.toString('base64'), mimeType: file.mimeType };
  } catch {
    // The store does not respond. The links are enough.
    return null;
  }
}

function linkTo({ id, kind, url, mimeType }: Asset): Content {
  const description = `The ${kind} file. The link is valid for about an hour; call the tool again for a new one.`;
  return { type: 'resource_link', uri: url, name: id, mimeType, description };
}

/** A refusal that the agent can read: the code, what is wrong, and what to do about it. */
export function renderProblem(problem: Problem): ToolResult {
  const { code, message, issues = [], retryAfterSeconds } = problem;
  const lines = [
    `${code}: ${message}`,
    ...issues.map((issue) => `- ${issue.path} ${issue.message}`),
    adviseAgent(code),
    ...(retryAfterSeconds === undefined ? [] : [`Retry after ${retryAfterSeconds} seconds.`]),
  ];
  return { content: [{ type: 'text', text: lines.join('\n') }], isError: true };
}
