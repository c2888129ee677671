import type { Backend } from '../remote/backend.ts';
import { callJson } from '../remote/call-json.ts';
import { asRecord } from '../remote/explain-answer.ts';

/** ComfyUI's record of a prompt that has ended. */
export type HistoryEntry = Readonly<Record<string, unknown>>;

export type PromptState =
  | { readonly state: 'pending' | 'running' }
  | { readonly state: 'succeeded' | 'failed'; readonly entry: HistoryEntry };

export interface Asked {
  readonly id: string;
  readonly signal: AbortSignal;
  /** For a cancel, which an open circuit does not block. */
  readonly pastCircuit?: boolean;
}

export interface Queue {
  readonly running: readonly string[];
  readonly pending: readonly string[];
}

/** Null if the server does not know the prompt: it never received it, or restarted. */
export async function findPrompt(backend: Backend, asked: Asked): Promise<PromptState | null> {
  const before = await readHistory(backend, asked);
  if (before !== null) return before;
  const queue = await readQueue(backend, asked);
  if (queue.running.includes(asked.id)) return { state: 'running' };
  if (queue.pending.includes(asked.id)) return { state: 'pending' };
  // It may have ended between the two requests.
  return readHistory(backend, asked);
}

export async function readQueue(
  backend: Backend,
  { signal, pastCircuit = false }: Pick<Asked, 'signal' | 'pastCircuit'>,
): Promise<Queue> {
  const { value } = await callJson(backend, { method: 'GET', path: '/queue', signal, pastCircuit });
  const { queue_running: running, queue_pending: pending } = asRecord(value);
  return { running: idsOf(running), pending: idsOf(pending) };
}

/** An item of the queue is a row: its number, its id, the graph, and more. */
function idsOf(items: unknown): string[] {
  if (!Array.isArray(items)) return [];
  return items.flatMap((item) => (Array.isArray(item) && typeof item[1] === 'string' ? [item[1]] : []));
}

async function readHistory(backend: Backend, { id, signal }: Asked): Promise<PromptState | null> {
  const { value } = await callJson(backend, { method: 'GET', path: `/history/${id}`, signal });
  const entry = asRecord(value)[id];
  if (entry === undefined) return null;
  const { status_str: status } = asRecord(asRecord(entry).status);
  return { state: status === 'error' ? 'failed' : 'succeeded', entry: asRecord(entry) };
}
