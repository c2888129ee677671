import type { StepResult } from './run-stages.ts';

const SLOWEST = 20;

export interface Summary {
  readonly passed: number;
  readonly failed: number;
  readonly seconds: number;
  readonly steps: ReadonlyArray<Omit<StepResult, 'files'>>;
  readonly slowestFiles: ReadonlyArray<{ readonly path: string; readonly seconds: number }>;
  /** Files that passed only in their second run. */
  readonly unsteady: readonly string[];
}

export function summarize(results: readonly StepResult[], seconds: number): Summary {
  const sum = (of: (result: StepResult) => number) => results.reduce((total, result) => total + of(result), 0);
  return {
    passed: sum(({ passed }) => passed),
    failed: sum(({ failed }) => failed),
    seconds,
    steps: results.map(({ files: _files, ...step }) => step),
    slowestFiles: results
      .flatMap(({ files }) => files)
      .map(({ path, seconds }) => ({ path, seconds }))
      .toSorted((a, b) => b.seconds - a.seconds)
      .slice(0, SLOWEST),
    unsteady: results.flatMap(({ unsteady }) => unsteady),
  };
}

/** The end of the log. Its last line is `N passed, N failed`. */
export function printSummary(summary: Summary, reports: string): string {
  const time = (seconds: number) => `${seconds.toFixed(0).padStart(6)} s`;
  const steps = summary.steps.map(({ stage, name, seconds, passed, failed, skipped }) => {
    const verdict = skipped !== null ? `skipped: ${skipped}` : `${passed} passed, ${failed} failed`;
    return `${time(seconds)}  ${`${stage}: ${name}`.padEnd(36)} ${verdict}`;
  });
  const files = summary.slowestFiles.map(({ path, seconds }) => `${time(seconds)}  ${path}`);
  return [
    '',
    'Steps',
    ...steps,
    `${time(summary.seconds)}  in total (${(summary.seconds / 60).toFixed(1)} minutes)`,
    ...(files.length === 0 ? [] : ['', `Slowest files (${files.length})`, ...files]),
    ...(summary.unsteady.length === 0
      ? []
      : ['', 'Flaky: failed in the first run, passed in the second', ...summary.unsteady.map((path) => `  ${path}`)]),
    '',
    `Reports: ${reports}`,
    '',
    `${summary.passed} passed, ${summary.failed} failed`,
  ].join('\n');
}
