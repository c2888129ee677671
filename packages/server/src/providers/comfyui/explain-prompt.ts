import { ProviderError } from '../provider.ts';
import { asRecord, excerpt } from '../remote/explain-answer.ts';
import type { HistoryEntry } from './find-prompt.ts';

/** Translates a rejected graph. An error in a node that a param is bound to is the customer's; any other is the operator's. */
export function explainRefusal(answer: unknown, { boundNodes }: { boundNodes: ReadonlySet<string> }): ProviderError {
  const { error, node_errors: nodeErrors } = asRecord(answer);
  const faulty = Object.entries(asRecord(nodeErrors));
  const [id, node] = faulty.find(([each]) => boundNodes.has(each)) ?? faulty[0] ?? [];
  if (id === undefined || node === undefined) {
    const { message } = asRecord(error);
    const words = typeof message === 'string' ? excerpt(message) : 'no reason given';
    return new ProviderError('unavailable', `The workflow was not accepted: ${words}.`);
  }
  const { errors, class_type: name } = asRecord(node);
  const { message, details } = asRecord(Array.isArray(errors) ? errors[0] : undefined);
  const words = [message, details].filter((each) => typeof each === 'string' && each !== '').join(': ');
  const detail = excerpt(`${String(name ?? id)}: ${words}`);
  if (!boundNodes.has(id)) return new ProviderError('unavailable', `The workflow was not accepted: ${detail}`);
  return new ProviderError('invalid_input', `The backend rejected the request: ${detail}`);
}

/** Translates a failed run. */
export function explainFailedRun({ status }: HistoryEntry): ProviderError {
  const { messages } = asRecord(status);
  const events = new Map<string, Record<string, unknown>>();
  for (const each of Array.isArray(messages) ? messages : []) {
    if (Array.isArray(each)) events.set(String(each[0]), asRecord(each[1]));
  }
  if (events.has('execution_interrupted'))
    return new ProviderError('unavailable', 'The run was stopped on the backend.', { retryable: true });
  const { node_type: node, exception_type: kind, exception_message: detail } = events.get('execution_error') ?? {};
  const where = typeof node === 'string' ? ` in ${excerpt(node)}` : '';
  const why = typeof kind === 'string' ? ` (${excerpt(kind)})` : '';
  // The exception's message names files of the server: only the operator sees it.
  const cause = typeof detail === 'string' ? new Error(excerpt(detail)) : undefined;
  return new ProviderError('internal', `The workflow failed${where}${why}.`, { cause });
}
