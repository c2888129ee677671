import type { ContentCheck } from '../domain/generations/check-content.ts';
import type { Log } from '../platform/log.ts';
import type { LocalProvider } from '../providers/local/create-local-provider.ts';
import { EngineFailed } from '../providers/local/start-engine-child.ts';
import { ProviderError } from '../providers/provider.ts';
import { ModerationUnavailable } from '../providers/safety/ask-moderation.ts';
import { createSafety } from '../providers/safety/create-safety.ts';
import type { Config } from './config.ts';

/** The classifiers of this installation behind the one door through which a run asks them. */
export function createContentCheck(
  config: Pick<Config, 'safety'>,
  { local, log }: { local: Pick<LocalProvider, 'runApart'>; log: Log },
): ContentCheck {
  const safety = createSafety({
    settings: config.safety,
    log,
    runEngine: (engine, { settings, inputs, signal }) =>
      local.runApart(engine, { settings, inputs, signal: signal ?? new AbortController().signal }),
  });
  const ask = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      if (!(error instanceof ModerationUnavailable || error instanceof EngineFailed)) throw error;
      // What could not be looked at is not let through.
      throw new ProviderError('unavailable', 'The automated check of content does not answer.', { retryable: true });
    }
  };
  return {
    checkPrompt: (options) => ask(safety.checkPrompt(options)),
    checkFiles: (options) => ask(safety.checkFiles(options)),
  };
}
