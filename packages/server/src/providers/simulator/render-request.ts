import { createHash } from 'node:crypto';
import type { ParamValues, TaskType } from '@atelier/contract';
import { seededRandom } from '../../platform/seeded-random.ts';
import type { ProducedOutput } from '../provider.ts';

/** One output to make. */
export interface RenderRequest {
  readonly taskType: TaskType;
  readonly params: ParamValues;
  /** The caption, which also selects the colours. */
  readonly caption: string;
  /** Differs between outputs, stays the same when an output is made again. */
  readonly seed: string;
  /** Path of the file to make, without its extension. */
  readonly basePath: string;
  readonly ffmpegPath: string;
  readonly signal: AbortSignal;
}

export type Renderer = (request: RenderRequest) => Promise<ProducedOutput>;

/** Numbers in [0, 1), the same for the same seed on every machine. For looks only, never for secrets. */
export function randomStream(seed: string): () => number {
  return seededRandom(createHash('sha256').update(seed).digest().readUInt32LE(0));
}
