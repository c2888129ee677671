import type { ProviderJob } from '../../../providers/provider.ts';
import type { Services } from '../../services.ts';
import { type CallbackRun, pollName, signCallback } from './callback-token.ts';
import type { PollWakes } from './poll-wakes.ts';

/** What a provider needs to be told by its backend: the secret address, and the wait that it ends. */
export function createCallback(
  services: Pick<Services, 'keys' | 'publicUrl'>,
  run: CallbackRun,
  { pollWakes, signal }: { pollWakes: PollWakes; signal: AbortSignal },
): NonNullable<ProviderJob['callback']> {
  return {
    url: `${services.publicUrl}/callbacks/${signCallback(services.keys, run)}`,
    pause: (ms) => pollWakes.pause({ name: pollName(run), ms, signal }),
  };
}
