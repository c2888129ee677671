import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ENGINE_DIGEST_FILE } from './engine-digest.ts';
import { ROOT } from './root.ts';
import type { StepResult } from './run-stages.ts';
import { SOAK_STAGES } from './soak-stages.ts';

/** The last whole run of each stage. */
export const RECORD = 'test/soak-results.json';
export const SOAK_PAGE = 'docs/how-it-works/soak.md';

interface StageRecord {
  readonly date: string;
  readonly commit: string;
  readonly seconds: number;
  readonly passed: number;
  readonly failed: number;
  readonly files: ReadonlyArray<{ readonly path: string; readonly seconds: number; readonly passed: number }>;
}
type SoakRecord = Readonly<Record<string, StageRecord>>;

/** Writes what ran into the record and its page. Stages that did not run keep their last result. */
export async function recordSoak(results: readonly StepResult[]): Promise<void> {
  const commit = await describeCommit();
  const old = JSON.parse(await readFile(join(ROOT, RECORD), 'utf8').catch(() => '{}')) as SoakRecord;
  const record: Record<string, StageRecord> = { ...old };
  for (const stage of new Set(results.map((result) => result.stage))) {
    record[stage] = summarizeStage(
      results.filter((result) => result.stage === stage),
      commit,
    );
  }
  await writeFile(join(ROOT, RECORD), `${JSON.stringify(record, null, 2)}\n`);
  await writeFile(join(ROOT, SOAK_PAGE), renderSoakPage(record));
}

/** Marked as dirty if a file differs, except for those that a run itself writes. */
async function describeCommit(): Promise<string> {
  const git = async (...args: string[]) => (await promisify(execFile)('git', args, { cwd: ROOT })).stdout.trim();
  const written = [RECORD, SOAK_PAGE, ENGINE_DIGEST_FILE].map((path) => `:!${path}`);
  const changed = await git('status', '--porcelain', '--', '.', ...written);
  return `${await git('rev-parse', '--short=10', 'HEAD')}${changed === '' ? '' : '-dirty'}`;
}

function summarizeStage(steps: readonly StepResult[], commit: string): StageRecord {
  const sum = (of: (step: StepResult) => number) => steps.reduce((total, step) => total + of(step), 0);
  return {
    date: new Date().toISOString().slice(0, 10),
    commit,
    seconds: Math.round(sum(({ seconds }) => seconds)),
    passed: sum(({ passed }) => passed),
    failed: sum(({ failed }) => failed),
    files: steps
      .flatMap(({ files }) => files)
      .map(({ path, seconds, passed }) => ({ path, seconds: Math.round(seconds), passed }))
      .toSorted((a, b) => a.path.localeCompare(b.path, 'en')),
  };
}

export function renderSoakPage(record: SoakRecord): string {
  const ran = SOAK_STAGES.flatMap((stage) => {
    const found = record[stage.name];
    return found === undefined ? [] : [{ stage, ...found }];
  });
  const stages = ran.map(
    ({ stage, date, commit, seconds, passed, failed }) =>
      `| \`${stage.name}\` | ${stage.summary} | ${passed} | ${failed} | ${formatTime(seconds)} | ${date} | \`${commit}\` |`,
  );
  const files = ran.flatMap(({ stage, files }) =>
    files.map(({ path, seconds, passed }) => `| \`${stage.name}\` | \`${path}\` | ${passed} | ${seconds} s |`),
  );
  return `# Soak results

Every change passes \`.ci/run\`, which runs loops at a part of their size and draws samples. \`npm run soak\` runs the same tests at their full
size before a release, one file at a time, on two cores. A file that passes only in its second run fails. A file with 0 tests needs
weights that soak does not pull; \`npm run gallery\` runs those engines.

## Stages

| Stage | What it runs | Passed | Failed | Time | Date | Commit |
|---|---|---|---|---|---|---|
${stages.join('\n')}

## Files

| Stage | File | Tests | Time |
|---|---|---|---|
${files.join('\n')}
`;
}

const formatTime = (seconds: number): string => `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
