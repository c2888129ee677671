import { type ProducedOutput, ProviderError, type ProviderJob } from '../provider.ts';
import type { Backend } from '../remote/backend.ts';
import { asRecord, explainError } from '../remote/explain-answer.ts';
import { takeOutputs } from '../remote/outputs/take-outputs.ts';

/** The record that Cog and Replicate share. */
export interface Prediction {
  readonly id: unknown;
  readonly status: string;
  readonly output: unknown;
  readonly error: unknown;
  readonly logs: string;
}

export function readPrediction(value: unknown): Prediction {
  const { id, status, output, error, logs } = asRecord(value);
  if (typeof status !== 'string')
    throw new ProviderError('unavailable', 'The response of the backend has no status.', { retryable: true });
  return { id, status, output, error, logs: typeof logs === 'string' ? logs : '' };
}

/** The fields that ask the backend to call us when the run ends. */
export function webhookFields(
  backend: Backend,
  { callback }: Pick<ProviderJob, 'callback'>,
): { webhook: string; webhook_events_filter: string[] } | Record<string, never> {
  if (!backend.callbacks || callback === undefined) return {};
  return { webhook: callback.url, webhook_events_filter: ['completed'] };
}

export function isRunning({ status }: Prediction): boolean {
  return status === 'starting' || status === 'processing' || status === 'queued';
}

/** The outputs of a prediction that has ended, or why it has none. */
export async function endPrediction(
  backend: Backend,
  options: { job: ProviderJob; prediction: Prediction; path: string | undefined; index: number },
): Promise<readonly ProducedOutput[]> {
  const { prediction, ...rest } = options;
  if (prediction.status === 'succeeded') return takeOutputs(backend, { ...rest, output: prediction.output });
  if (prediction.status === 'canceled' || prediction.status === 'aborted')
    throw new ProviderError('unavailable', 'The run was stopped on the backend.', { retryable: true });
  const failure = explainError(prediction.error);
  throw new ProviderError(failure.code, backend.conceal(failure.message), failure);
}
