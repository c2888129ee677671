import type { SafetyCategory } from '../verdict.ts';

export interface Exemplar {
  readonly category: SafetyCategory | null;
  /** Of length 1. */
  readonly vector: Float32Array;
}

export interface PromptScore {
  readonly category: SafetyCategory | null;
  /** 0 to 1; at 0.5 the nearest policy exemplar and the nearest safe one are equally near. */
  readonly score: number;
}

/** How fast the score moves away from 0.5 as the two distances diverge. */
const STEEPNESS = 12;
/** A prompt that is far from every exemplar has no category. */
const MIN_SIMILARITY = 0.3;
/** Neighbours whose mean counts as the distance to a side: one odd exemplar does not decide alone. */
const NEIGHBOURS = 2;

/** The worst of the parts of a prompt: each is compared with the exemplars of both sides. */
export function scoreVectors(parts: readonly Float32Array[], exemplars: readonly Exemplar[]): PromptScore {
  let worst: PromptScore = { category: null, score: 0 };
  for (const part of parts) {
    const scored = scoreOne(part, exemplars);
    if (scored.score >= worst.score) worst = scored;
  }
  return worst;
}

function scoreOne(part: Float32Array, exemplars: readonly Exemplar[]): PromptScore {
  const near = exemplars
    .map(({ category, vector }) => ({ category, similarity: similarityOf(part, vector) }))
    .sort((a, b) => b.similarity - a.similarity);
  const safe = meanOfNearest(near.filter(({ category }) => category === null));
  let best: PromptScore = { category: null, score: 0 };
  for (const category of new Set(near.flatMap((each) => each.category ?? []))) {
    const policy = meanOfNearest(near.filter((each) => each.category === category));
    if (policy < MIN_SIMILARITY) continue;
    const score = 1 / (1 + Math.exp(-STEEPNESS * (policy - safe)));
    if (score > best.score) best = { category, score };
  }
  return best;
}

function meanOfNearest(sorted: ReadonlyArray<{ similarity: number }>): number {
  const nearest = sorted.slice(0, NEIGHBOURS);
  return nearest.reduce((sum, { similarity }) => sum + similarity, 0) / Math.max(1, nearest.length);
}

function similarityOf(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < a.length; index += 1) sum += a[index]! * b[index]!;
  return sum;
}

/** The model reads about 250 tokens and dilutes long texts, so a long prompt is split into overlapping windows. */
const WINDOW_WORDS = 32;
const STEP_WORDS = 24;
const MAX_WINDOWS = 120;

export function splitPrompt(prompt: string): readonly string[] {
  const words = prompt.split(/\s+/).filter((word) => word !== '');
  if (words.length <= WINDOW_WORDS) return words.length === 0 ? [] : [words.join(' ')];
  const windows: string[] = [];
  for (let at = 0; at + (WINDOW_WORDS - STEP_WORDS) < words.length && windows.length < MAX_WINDOWS; at += STEP_WORDS)
    windows.push(words.slice(at, at + WINDOW_WORDS).join(' '));
  return windows;
}
