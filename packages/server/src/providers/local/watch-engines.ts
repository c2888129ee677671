import { existsSync } from 'node:fs';
import { type EngineAvailability, findAvailableEngines } from './find-available-engines.ts';
import { readWeightSets } from './weights/weight-set.ts';

export interface EngineWatch {
  /** The engines that this machine can run now. Always the same set; it changes in place. */
  readonly available: ReadonlySet<string>;
  /** What an engine lacks; empty when it can run. */
  missingOf(engine: string): readonly string[];
  /** The engines that cannot run now. */
  unavailable(): readonly EngineAvailability[];
  close(): void;
}

/** A check costs a few dozen `stat` calls. */
const INTERVAL_MS = 5_000;

/** Checks periodically for what engines need, so that weights pulled while a worker runs are used without a restart. */
export function watchEngines(options: {
  weightsDir: string;
  weightsFile: string;
  intervalMs?: number;
  /** Called at the start and after each change. */
  onChange(engines: readonly EngineAvailability[]): void;
}): EngineWatch {
  const available = new Set<string>();
  let engines: readonly EngineAvailability[] = [];
  let seen = '';
  const look = () => {
    engines = findAvailableEngines({
      weightsDir: options.weightsDir,
      weightSets: existsSync(options.weightsFile) ? readWeightSets(options.weightsFile) : [],
    });
    for (const { engine, missing } of engines) {
      if (missing.length === 0) available.add(engine);
      else available.delete(engine);
    }
    const now = JSON.stringify(engines);
    if (now !== seen) options.onChange(engines);
    seen = now;
  };
  look();
  const timer = setInterval(() => {
    try {
      look();
    } catch {
      // The weights file is being edited: the last result is kept.
    }
  }, options.intervalMs ?? INTERVAL_MS).unref();
  return {
    available,
    missingOf: (name) => engines.find(({ engine }) => engine === name)?.missing ?? [`engine ${name}`],
    unavailable: () => engines.filter(({ missing }) => missing.length > 0),
    close: () => clearInterval(timer),
  };
}
