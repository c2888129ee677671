import { createHash } from 'node:crypto';
import { ProviderError, type ProviderJob } from '../provider.ts';
import type { Backend } from '../remote/backend.ts';
import { callJson } from '../remote/call-json.ts';
import { asRecord } from '../remote/explain-answer.ts';
import { isRemoteId } from '../remote/handle.ts';
import { nameFiles } from './bind-workflow.ts';
import { explainRefusal } from './explain-prompt.ts';
import { findPrompt } from './find-prompt.ts';
import type { Graph } from './load-workflow.ts';

/** How often a run that failed on the server is restarted under a new id. */
const MAX_ROUNDS = 8;

/** The id under which the graph runs: that of an earlier attempt, or a new one. */
export async function submitPrompt(
  backend: Backend,
  options: { job: ProviderJob; index: number; bind: () => Promise<{ graph: Graph; boundNodes: ReadonlySet<string> }> },
): Promise<string> {
  const { job, index } = options;
  const { signal, generationId } = job;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const id = promptIdOf({ generationId, index, round });
    const found = await findPrompt(backend, { id, signal });
    if (found?.state === 'failed') continue;
    if (found !== null) return id;
    const { graph, boundNodes } = await options.bind();
    const { status, value } = await callJson(backend, {
      method: 'POST',
      path: '/prompt',
      json: { prompt: nameFiles(graph, id), client_id: clientIdOf(generationId), prompt_id: id },
      signal,
      accept: [400],
    });
    if (status === 400) throw explainRefusal(value, { boundNodes });
    // Servers before 0.3.45 ignore our id and assign their own.
    const given = asRecord(value).prompt_id;
    if (!isRemoteId(given))
      throw new ProviderError('unavailable', 'The backend did not return a run id.', { retryable: true });
    return given;
  }
  throw new ProviderError('internal', 'The workflow fails every time it runs.');
}

/** A deterministic id, so that a second submit finds the first, from ComfyUI 0.3.45 on. */
export function promptIdOf(options: { generationId: string; index: number; round: number }): string {
  return uuidOf(`prompt:${options.generationId}:${options.index}:${options.round}`);
}

/** Every worker follows a generation under the same client id, because ComfyUI reports progress to that id only. */
export function clientIdOf(generationId: string): string {
  return uuidOf(`client:${generationId}`);
}

function uuidOf(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
