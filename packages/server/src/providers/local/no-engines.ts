import { ProviderError } from '../provider.ts';
import { usesLikeness } from '../uses-likeness.ts';
import type { LocalProvider } from './create-local-provider.ts';
import type { EngineWatch } from './watch-engines.ts';

const MISSING = ['package @atelier/engines'];

/** Replaces the local provider and its engines on a worker without @atelier/engines: it offers nothing. */
export function createNoEngines(): { local: LocalProvider; engines: EngineWatch } {
  const refuse = () =>
    Promise.reject(
      new ProviderError('unavailable', 'Local engines are not installed on this worker.', { retryable: true }),
    );
  return {
    local: { serves: () => false, submit: refuse, poll: refuse, runApart: async () => null, close: async () => {} },
    engines: {
      available: new Set(),
      missingOf: () => MISSING,
      unavailable: () => Object.keys(usesLikeness).map((engine) => ({ engine, missing: MISSING })),
      close: () => {},
    },
  };
}
