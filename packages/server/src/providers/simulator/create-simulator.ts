import { join } from 'node:path';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { type Polled, type ProducedOutput, type Provider, ProviderError, type ProviderJob } from '../provider.ts';
import { formatHandle, parseHandle } from './handle.ts';
import { parseOutcome } from './parse-outcome.ts';
import { taskRenderers } from './task-renderers.ts';

export interface SimulatorOptions {
  readonly ffmpegPath: string;
  readonly clock?: Clock;
}

const POLL_AFTER_MS = 500;

/** Serves test-mode keys: the prompt chooses the outcome, and every output is a small real file. */
export function createSimulator({ ffmpegPath, clock = systemClock }: SimulatorOptions): Provider {
  async function renderOutputs(job: ProviderJob, count: number): Promise<ProducedOutput[]> {
    const { label, render } = taskRenderers[job.taskType];
    const outputs: ProducedOutput[] = [];
    for (let index = 0; index < count; index++) {
      job.signal.throwIfAborted();
      const output = await render({
        taskType: job.taskType,
        params: job.params,
        caption: promptOf(job) || job.effectId || label,
        seed: `${seedOf(job)}:${index}`,
        basePath: join(job.workDir, `output-${index}`),
        ffmpegPath,
        signal: job.signal,
      });
      outputs.push(output);
    }
    return outputs;
  }

  return {
    async submit(job) {
      const outcome = parseOutcome(promptOf(job));
      const startedAtMs = clock.now().getTime();
      switch (outcome.kind) {
        case 'fail':
          throw new ProviderError(outcome.code, 'The prompt asked for this failure.');
        case 'hold':
          return { handle: formatHandle({ startedAtMs, delayMs: null }) };
        case 'partial':
          return { outputs: await renderOutputs(job, outcome.outputs) };
        case 'ok':
          if (outcome.delayMs > 0) return { handle: formatHandle({ startedAtMs, delayMs: outcome.delayMs }) };
          return { outputs: await renderOutputs(job, job.outputs) };
      }
    },

    async poll(text, job): Promise<Polled> {
      const handle = parseHandle(text);
      if (handle === null) throw new ProviderError('internal', 'The handle does not belong to the simulator.');
      if (handle.delayMs === null) return { state: 'running', pollAfterMs: POLL_AFTER_MS };
      // Another worker's clock may be ahead of this one.
      const elapsedMs = Math.max(0, clock.now().getTime() - handle.startedAtMs);
      const leftMs = handle.delayMs - elapsedMs;
      if (leftMs <= 0) return { state: 'done', outputs: await renderOutputs(job, job.outputs) };
      return {
        state: 'running',
        progress: elapsedMs / handle.delayMs,
        pollAfterMs: Math.min(leftMs, POLL_AFTER_MS),
      };
    },
  };
}

/** With a seed, the same request gives the same bytes again; without one, every generation differs. */
function seedOf({ params, modelId, generationId }: ProviderJob): string {
  return params.seed === undefined ? generationId : `${modelId}:${params.seed}`;
}

function promptOf({ params }: Pick<ProviderJob, 'params'>): string {
  const words = params.prompt || params.text;
  return typeof words === 'string' ? words.trim() : '';
}
