import type { RunPlace } from './stage.ts';

/** A run of vitest that writes the report of vitest-reporter.ts. */
export function vitestCommand(...args: readonly string[]): (place: RunPlace) => readonly string[] {
  return ({ shard, only }) => [
    'vitest',
    'run',
    ...args,
    '--reporter=default',
    '--reporter=./scripts/stages/vitest-reporter.ts',
    ...(shard === null ? [] : [`--shard=${shard}`]),
    ...only,
  ];
}
