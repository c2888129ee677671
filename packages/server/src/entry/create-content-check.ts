import type { Log } from '../platform/log.ts';
import type { LocalProvider } from '../providers/local/create-local-provider.ts';
import { EngineFailed } from '../providers/local/engine-failed.ts';
import type { EngineWatch } from '../providers/local/watch-engines.ts';
import { createSafety, type Safety } from '../safety/create-safety.ts';
import { SafetyUnavailable } from '../safety/verdict.ts';
import type { Config } from './config/config.ts';

/** Content safety whose classifiers run as local engines, each in a confined child process. */
export function createContentCheck(
  config: Pick<Config, 'safety'>,
  { local, engines, log }: { local: Pick<LocalProvider, 'runApart'>; engines: EngineWatch; log: Log },
): Safety {
  return createSafety({
    settings: config.safety,
    log,
    missingOf: (engine) => engines.missingOf(engine),
    async runEngine(engine, { settings, inputs, signal }) {
      try {
        return await local.runApart(engine, { settings, inputs, signal: signal ?? new AbortController().signal });
      } catch (error) {
        if (!(error instanceof EngineFailed)) throw error;
        throw new SafetyUnavailable(`${engine}: ${error.message}`, { cause: error });
      }
    },
  });
}
