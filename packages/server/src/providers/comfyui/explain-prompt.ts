import { ProviderError } from '../provider.ts';
import { asRecord, tellWords } from '../remote/explain-answer.ts';
import type { HistoryEntry } from './find-prompt.ts';

/** What a refused graph means. A node that a customer's param goes to is theirs to mend; any other is the operator's. */
export function explainRefusal(answer: unknown, { boundNodes }: { boundNodes: ReadonlySet<string> }): ProviderError {
  const { error, node_errors: nodeErrors } = asRecord(answer);
  const faulty = Object.entries(asRecord(nodeErrors));
  const [id, node] = faulty.find(([each]) => boundNodes.has(each)) ?? faulty[0] ?? [];
  if (id === undefined || node === undefined) {
    const { message } = asRecord(error);
    const words = typeof message === 'string' ? tellWords(message) : 'no reason given';
    return new ProviderError('unavailable', `The workflow was not accepted: ${words}.`);
  }
  const { errors, class_type: name } = asRecord(node);
  const { message, details } = asRecord(Array.isArray(errors) ? errors[0] : undefined);
  const words = [message, details].filter((each) => typeof each === 'string' && each !== '').join(': ');
  const told = tellWords(`${String(name ?? id)}: ${words}`);
  if (!boundNodes.has(id)) return new ProviderError('unavailable', `The workflow was not accepted: ${told}`);
  return new ProviderError('invalid_input', `The backend refused the request: ${told}`);
}

/** What a graph that ended badly means. */
export function explainFailedRun({ status }: HistoryEntry): ProviderError {
  const { messages } = asRecord(status);
  const told = new Map<string, Record<string, unknown>>();
  for (const each of Array.isArray(messages) ? messages : []) {
    if (Array.isArray(each)) told.set(String(each[0]), asRecord(each[1]));
  }
  if (told.has('execution_interrupted'))
    return new ProviderError('unavailable', 'The run was stopped on the backend.', { retryable: true });
  const { node_type: node, exception_type: kind, exception_message: detail } = told.get('execution_error') ?? {};
  const where = typeof node === 'string' ? ` in ${tellWords(node)}` : '';
  const why = typeof kind === 'string' ? ` (${tellWords(kind)})` : '';
  // The words of the exception name files of the server: they are for the operator alone.
  const cause = typeof detail === 'string' ? new Error(tellWords(detail)) : undefined;
  return new ProviderError('internal', `The workflow failed${where}${why}.`, { cause });
}
