import { type ProducedOutput, ProviderError } from '../provider.ts';

/**
 * The outputs of several runs, one after another. A refusal of some leaves what the others made: the customer pays for that
 * alone. A fault that another try could mend ends it.
 */
export async function gatherOutputs(
  makes: readonly (() => Promise<readonly ProducedOutput[]>)[],
): Promise<ProducedOutput[]> {
  const outputs: ProducedOutput[] = [];
  let refusal: ProviderError | null = null;
  for (const make of makes) {
    try {
      outputs.push(...(await make()));
    } catch (error) {
      if (!(error instanceof ProviderError) || error.retryable) throw error;
      refusal ??= error;
    }
  }
  if (outputs.length === 0) throw refusal ?? new ProviderError('internal', 'The backend delivered no output.');
  return outputs;
}
