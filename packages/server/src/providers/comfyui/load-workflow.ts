import { readFile } from 'node:fs/promises';
import { join, normalize } from 'node:path';
import { ProviderError } from '../provider.ts';
import { asRecord } from '../remote/explain-answer.ts';

/** Node id to its class and inputs, as ComfyUI's API takes it. */
export type Graph = Record<string, { class_type: string; inputs: Record<string, unknown> }>;

/** Reads a stored graph. It is read for each run: a graph is small, and an edit then needs no restart. */
export async function loadWorkflow({ dir, file }: { dir: string; file: string }): Promise<Graph> {
  const inside = normalize(file);
  if (inside.startsWith('..')) throw unusable('it lies outside the catalog');
  let graph: unknown;
  try {
    graph = JSON.parse(await readFile(join(dir, inside), 'utf8'));
  } catch {
    throw unusable('it is missing or no JSON');
  }
  const nodes = Object.values(asRecord(graph)).map(asRecord);
  if (nodes.length === 0 || nodes.some(({ class_type, inputs }) => typeof class_type !== 'string' || !isRecord(inputs)))
    throw unusable('it is not in the API format');
  return graph as Graph;
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unusable(reason: string): ProviderError {
  return new ProviderError('unavailable', `The workflow of this model cannot be used: ${reason}.`);
}
