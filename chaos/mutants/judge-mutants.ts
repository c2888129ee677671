import { type Lane, openLane } from './lane.ts';
import type { Mutant } from './mutant.ts';

export interface Verdict {
  readonly name: string;
  /** `stale`: its text is no longer in the sources. `broken`: the tests could not run with it. */
  readonly kind: 'caught' | 'survived' | 'stale' | 'broken';
  readonly detail: string;
  readonly seconds: number;
}

const LANES = 2;

/** Runs every mutant, two at a time. First the tests must pass without any mutant; otherwise a failure proves nothing. */
export async function judgeMutants(options: {
  mutants: readonly Mutant[];
  services: { postgresUrl: string; stateFile: string };
  onVerdict: (verdict: Verdict) => void;
}): Promise<Verdict[]> {
  const lanes: Lane[] = [];
  try {
    for (let n = 0; n < Math.min(LANES, options.mutants.length); n += 1) lanes.push(await openLane(options.services));
    const tests = [...new Set(options.mutants.flatMap((mutant) => mutant.tests))];
    const sound = await (lanes[0] as Lane).runTests(tests);
    if (sound.trouble !== null || sound.failed.length > 0) {
      throw new Error(`the tests fail without any mutant: ${sound.trouble ?? sound.failed.join('; ')}`);
    }
    const waiting = [...options.mutants];
    const verdicts: Verdict[] = [];
    await Promise.all(
      lanes.map(async (lane) => {
        for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
          const verdict = await judge(lane, mutant);
          verdicts.push(verdict);
          options.onVerdict(verdict);
        }
      }),
    );
    return verdicts;
  } finally {
    for (const lane of lanes) lane.remove();
  }
}

async function judge(lane: Lane, mutant: Mutant): Promise<Verdict> {
  const startedMs = performance.now();
  const verdict = (kind: Verdict['kind'], detail: string): Verdict => ({
    name: mutant.name,
    kind,
    detail,
    seconds: (performance.now() - startedMs) / 1_000,
  });
  try {
    const run = await lane.tryMutant(mutant);
    if (run.trouble !== null) return verdict('broken', run.trouble);
    if (run.failed.length === 0) return verdict('survived', `${run.passed} tests passed: ${mutant.tests.join(' ')}`);
    return verdict('caught', `by ${run.failed.length}, first: ${run.failed[0]}`);
  } catch (error) {
    return verdict('stale', (error as Error).message);
  }
}
