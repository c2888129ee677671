import type { ContentCheck } from '../domain/generations/check-content.ts';
import type { Log } from '../platform/log.ts';
import type { LocalProvider } from '../providers/local/create-local-provider.ts';
import { EngineFailed } from '../providers/local/start-engine-child.ts';
import type { EngineWatch } from '../providers/local/watch-engines.ts';
import { ProviderError } from '../providers/provider.ts';
import { ModerationUnavailable } from '../safety/ask-moderation.ts';
import { createSafety, type SafetyGap, SafetyUnavailable } from '../safety/create-safety.ts';
import type { Config } from './config.ts';

/** The classifiers of this installation as a run asks them, and the required ones that cannot run. */
export function createContentCheck(
  config: Pick<Config, 'safety'>,
  { local, engines, log }: { local: Pick<LocalProvider, 'runApart'>; engines: EngineWatch; log: Log },
): ContentCheck & { findGaps(): readonly SafetyGap[] } {
  const safety = createSafety({
    settings: config.safety,
    log,
    missingOf: (engine) => engines.missingOf(engine),
    runEngine: (engine, { settings, inputs, signal }) =>
      local.runApart(engine, { settings, inputs, signal: signal ?? new AbortController().signal }),
  });
  const ask = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      const silent = [ModerationUnavailable, EngineFailed, SafetyUnavailable].some((kind) => error instanceof kind);
      if (!silent) throw error;
      // What could not be looked at is not let through.
      throw new ProviderError('unavailable', 'The automated check of content is unavailable.', {
        retryable: true,
        cause: error,
      });
    }
  };
  return {
    findGaps: () => safety.findGaps(),
    checkPrompt: (options) => ask(safety.checkPrompt(options)),
    checkFiles: (options) => ask(safety.checkFiles(options)),
  };
}
