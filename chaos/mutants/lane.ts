import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dropTemplate } from '../../test/clone-template.ts';
import { applyEdit, type Mutant } from './mutant.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COPIED = [
  'packages',
  'test',
  'scripts',
  'catalog',
  'docs/problems',
  'package.json',
  'tsconfig.json',
  'vitest.config.ts',
];
const RUN_TIMEOUT_MS = 180_000;
/** Errors of code that cannot run at all: such a mutant is a mistake, not a bug. */
const NONSENSE = /syntax error|(column|function|relation|variable) .* does not exist|is not defined|is not a function/;

export interface TestRun {
  readonly passed: number;
  /** Names of the tests that failed. */
  readonly failed: readonly string[];
  /** Set if the tests could not run at all. */
  readonly trouble: string | null;
}

/** A copy of the sources to which one mutant at a time is applied. */
export interface Lane {
  /** Applies the mutant, runs its tests, and reverts it. Throws if an edit does not apply. */
  tryMutant(mutant: Mutant): Promise<TestRun>;
  /** Runs tests on the unchanged sources. */
  runTests(tests: readonly string[]): Promise<TestRun>;
  remove(): void;
}

export async function openLane(services: { postgresUrl: string; stateFile: string }): Promise<Lane> {
  const dir = await mkdtemp(join(tmpdir(), 'atelier-mutants-'));
  const remove = () => rmSync(dir, { recursive: true, force: true });
  // Also if the run is interrupted.
  process.once('exit', remove);
  for (const name of COPIED) {
    await cp(join(ROOT, name), join(dir, name), {
      recursive: true,
      filter: (source) => !source.endsWith('/node_modules') && !source.endsWith('/dist'),
    });
  }
  await symlink(join(ROOT, 'node_modules'), join(dir, 'node_modules'));
  const runTests = (tests: readonly string[]) => runVitest({ dir, tests, stateFile: services.stateFile });
  return {
    runTests,
    async tryMutant(mutant) {
      const originals = new Map<string, string>();
      try {
        for (const edit of mutant.edits) {
          const path = join(dir, edit.file);
          const text = await readFile(path, 'utf8');
          if (!originals.has(path)) originals.set(path, text);
          await writeFile(path, applyEdit(text, edit));
        }
        const run = await runTests(mutant.tests);
        if (mutant.edits.some(({ file }) => file.endsWith('.sql'))) await dropTemplate(services.postgresUrl, dir);
        return run;
      } finally {
        for (const [path, text] of originals) await writeFile(path, text);
      }
    },
    remove() {
      process.off('exit', remove);
      remove();
    },
  };
}

interface Report {
  readonly numPassedTests: number;
  readonly numTotalTests: number;
  readonly testResults: ReadonlyArray<{
    readonly name: string;
    readonly message: string;
    readonly assertionResults: ReadonlyArray<{
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[];
    }>;
  }>;
}

async function runVitest(options: { dir: string; tests: readonly string[]; stateFile: string }): Promise<TestRun> {
  const output = join(options.dir, 'report.json');
  await rm(output, { force: true });
  const child = spawn(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', '--reporter=json', `--outputFile=${output}`, ...options.tests],
    {
      cwd: options.dir,
      env: { ...process.env, ATELIER_SERVICES_FILE: options.stateFile, CI: 'true' },
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: RUN_TIMEOUT_MS,
      killSignal: 'SIGKILL',
    },
  );
  let errorOutput = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errorOutput = (errorOutput + chunk.toString()).slice(-2_000);
  });
  await new Promise((resolve) => child.once('close', resolve));
  const text = await readFile(output, 'utf8').catch(() => null);
  if (text === null) return { passed: 0, failed: [], trouble: `no report: ${errorOutput}` };
  const report = JSON.parse(text) as Report;
  const failures = report.testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'failed');
  return {
    passed: report.numPassedTests,
    failed: failures.map(({ fullName }) => fullName),
    trouble: findTrouble(report, options.tests.length),
  };
}

function findTrouble(report: Report, files: number): string | null {
  if (report.testResults.length < files) return 'a test file is missing';
  for (const { name, message, assertionResults } of report.testResults) {
    if (assertionResults.length === 0) return `${name} did not load: ${message.slice(0, 300)}`;
    for (const { failureMessages } of assertionResults) {
      const nonsense = failureMessages.find((each) => NONSENSE.test(each));
      if (nonsense !== undefined) return nonsense.slice(0, 300);
    }
  }
  return null;
}
