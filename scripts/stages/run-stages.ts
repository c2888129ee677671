import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type FileResult, readReport, type TestReport } from './read-report.ts';
import { type Output, runCommand } from './run-command.ts';
import { canRunAgain, isStrict } from './second-run.ts';
import type { RunPlace, Stage, Work } from './stage.ts';
import { type CpuTimes, readCpuTimes, stolenPercent } from './stolen-time.ts';
import { REPORT_FILE } from './vitest-reporter.ts';

export interface StepResult {
  readonly stage: string;
  readonly name: string;
  readonly seconds: number;
  readonly passed: number;
  readonly failed: number;
  /** Why it was not needed; null if it ran. */
  readonly skipped: string | null;
  readonly files: readonly FileResult[];
  /** Files that passed only in their second run. */
  readonly unsteady: readonly string[];
}

export interface RunOptions {
  readonly root: string;
  /** Reports are kept here, with the output of works that ran side by side. */
  readonly reports: string;
  readonly env: NodeJS.ProcessEnv;
  readonly shard: string | null;
  readonly only: readonly string[];
  /** `strict`: only files of money, files, erasure and identity must be steady. `all`: every file. */
  readonly steady: 'strict' | 'all';
  /** Goes on with the next stage after a failed one. */
  readonly keepGoing: boolean;
  readonly signal: AbortSignal;
  /** Where the output of works goes that run alone. */
  readonly show: Exclude<Output, 'keep'>;
  readonly print: (line: string) => void;
}

/** Runs stages one after another. A failed step ends its stage and, unless told otherwise, the run. */
export async function runStages(stages: readonly Stage[], options: RunOptions): Promise<StepResult[]> {
  await rm(options.reports, { recursive: true, force: true });
  await mkdir(options.reports, { recursive: true });
  const results: StepResult[] = [];
  for (const stage of stages) {
    const ok = await runWorks(stage, options, (result) => {
      results.push(result);
      options.print(describeResult(result));
    });
    if (options.signal.aborted || (!ok && !options.keepGoing)) break;
  }
  await writeFile(join(options.reports, 'results.json'), JSON.stringify(results, null, 2));
  return results;
}

type Note = (result: StepResult) => void;

async function runWorks(stage: Stage, options: RunOptions, note: Note): Promise<boolean> {
  for (const entry of stage.works) {
    if (options.signal.aborted) return false;
    const works = Array.isArray(entry) ? (entry as readonly Work[]) : [entry as Work];
    options.print(`\n==> ${stage.name}: ${works.map(({ name }) => name).join(', ')}`);
    const output = works.length > 1 ? 'keep' : options.show;
    const results = await Promise.all(
      works.map(async (work) => {
        const result = await runWork(stage, work, { ...options, output });
        note(result);
        return result;
      }),
    );
    if (results.some(({ failed }) => failed > 0)) return false;
  }
  return true;
}

const emptyResult = (stage: Stage, name: string): StepResult => ({
  stage: stage.name,
  name,
  seconds: 0,
  passed: 0,
  failed: 0,
  skipped: null,
  files: [],
  unsteady: [],
});

async function runWork(
  stage: Stage,
  work: Work,
  options: RunOptions & { readonly output: Output },
): Promise<StepResult> {
  const startedAt = performance.now();
  const skipped = (await work.skip?.()) ?? null;
  if (skipped !== null) return { ...emptyResult(stage, work.name), skipped };

  const before = await readCpuTimes();
  const place: RunPlace = {
    report: join(options.reports, `${fileName(`${stage.name}-${work.name}`)}.report`),
    shard: options.shard,
    only: options.only,
  };
  const first = await runOnce(work, place, options);
  const { report, unsteady } = await runFailedFilesAgain(work, { place, first, before, options });
  const intolerable = unsteady.filter((path) => options.steady === 'all' || isStrict(path));
  for (const path of intolerable) options.print(`${path}: passed only in its second run, which counts as failed`);
  const result: StepResult = {
    ...emptyResult(stage, work.name),
    passed: report.passed,
    failed: report.failed + intolerable.length,
    files: report.files,
    unsteady,
    seconds: (performance.now() - startedAt) / 1000,
  };
  if (result.failed === 0 && options.shard === null && options.only.length === 0) await work.onPass?.();
  return result;
}

/** Runs the command and counts its tests. A run that failed outside its tests, or ran no test, has failed too. */
async function runOnce(
  work: Work,
  place: RunPlace,
  options: RunOptions & { readonly output: Output },
): Promise<TestReport> {
  await rm(place.report, { force: true });
  const { ok, output } = await runCommand(work.command(place), {
    cwd: options.root,
    env: { ...options.env, ...work.env?.(), [REPORT_FILE]: place.report },
    timeoutMs: work.limitMinutes * 60_000,
    output: options.output,
    signal: options.signal,
  });
  if (options.output === 'keep') {
    await writeFile(place.report.replace(/\.report$/, '.log'), output);
    if (!ok) options.print(output);
  }
  if (work.report === undefined) return { passed: ok ? 1 : 0, failed: ok ? 0 : 1, files: [] };
  const report = await readReport(work.report, place.report);
  const isEmpty = report.passed + report.failed === 0;
  return report.failed === 0 && (!ok || isEmpty) ? { ...report, failed: 1 } : report;
}

async function runFailedFilesAgain(
  work: Work,
  run: {
    readonly place: RunPlace;
    readonly first: TestReport;
    readonly before: CpuTimes;
    readonly options: RunOptions & { readonly output: Output };
  },
): Promise<{ report: TestReport; unsteady: string[] }> {
  const { place, first, options } = run;
  const again = first.files.filter(({ ok }) => !ok).map(({ path }) => path);
  if (first.failed === 0 || !canRunAgain(again) || options.signal.aborted) return { report: first, unsteady: [] };
  const stolen = stolenPercent(run.before, await readCpuTimes());
  options.print(`--- the host took ${stolen} % of the CPU time. Running once more: ${again.join(', ')}`);
  const second = await runOnce(
    work,
    { report: place.report.replace(/\.report$/, '-again.report'), shard: null, only: again },
    options,
  );
  const kept = first.files.filter(({ ok }) => ok);
  const report = {
    passed: kept.reduce((sum, { passed }) => sum + passed, 0) + second.passed,
    failed: second.failed,
    files: [...kept, ...second.files],
  };
  return { report, unsteady: second.failed === 0 ? again : [] };
}

const fileName = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

function describeResult({ stage, name, seconds, passed, failed, skipped }: StepResult): string {
  const at = `--- ${stage}: ${name}`;
  if (skipped !== null) return `${at}: skipped, ${skipped}`;
  return `${at}: ${passed} passed, ${failed} failed, ${Math.round(seconds)} s`;
}
