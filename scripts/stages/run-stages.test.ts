import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CI_STAGES } from './ci-stages.ts';
import { printSummary, summarize } from './print-summary.ts';
import { type RunOptions, runStages } from './run-stages.ts';
import { SOAK_STAGES } from './soak-stages.ts';
import type { Stage, Work } from './stage.ts';

let dir: string;
let printed: string[];

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'atelier-stages-'));
  printed = [];
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const options = (given: Partial<RunOptions> = {}): RunOptions => ({
  root: dir,
  reports: join(dir, 'reports'),
  env: process.env,
  shard: null,
  only: [],
  steady: 'strict',
  keepGoing: false,
  show: 'stderr',
  signal: new AbortController().signal,
  print: (line) => void printed.push(line),
  ...given,
});

const node =
  (code: string): Work['command'] =>
  () => [process.execPath, '-e', code];
const step = (code: string, name = 'step'): Work => ({ name, limitMinutes: 1, command: node(code) });
const stageOf = (...works: Stage['works']): Stage => ({ name: 'planted', summary: '', works });
const countsOf = async (stage: Stage, given?: Partial<RunOptions>) => {
  const { passed, failed, unsteady } = summarize(await runStages([stage], options(given)), 1);
  return { passed, failed, unsteady };
};

/** Stands for a test run with one file that fails in the first run, and another that passes. */
const flaky = (path: string): Work => ({
  name: 'tests',
  limitMinutes: 1,
  report: 'vitest',
  command: ({ only }) => [
    process.execPath,
    '-e',
    `const again = ${only.length > 0};
     const row = (path, ok) => ({ path, seconds: 1, passed: ok ? 1 : 0, failed: ok ? 0 : 1, ok });
     const files = [...(again ? [] : [row('a.test.ts', true)]), row('${path}', again)];
     const report = { passed: files.filter((f) => f.ok).length, failed: files.filter((f) => !f.ok).length, files };
     require('node:fs').writeFileSync(process.env.TEST_REPORT_FILE, JSON.stringify(report));
     process.exitCode = report.failed;`,
  ],
});

describe('what counts as failed', () => {
  test('a step that exits with a status', async () => {
    expect(await countsOf(stageOf(step(''), step('process.exit(3)')))).toEqual({ passed: 1, failed: 1, unsteady: [] });
  });

  test('a program that does not exist', async () => {
    const work: Work = { name: 'step', limitMinutes: 1, command: () => ['no-such-program-here'] };
    expect(await countsOf(stageOf(work))).toMatchObject({ passed: 0, failed: 1 });
  });

  test('a step that takes too long', async () => {
    const work = { ...step('setTimeout(() => {}, 60_000)'), limitMinutes: 0.5 / 60 };
    expect(await countsOf(stageOf(work))).toMatchObject({ passed: 0, failed: 1 });
  });

  test.each(['vitest', 'tap', 'junit'] as const)(
    'a run that wrote no %s report, although it succeeded',
    async (report) => {
      expect(await countsOf(stageOf({ ...step(''), report }))).toMatchObject({ passed: 0, failed: 1 });
    },
  );

  test.each([
    ['vitest', '{ "passed": 3, "failed": 0, "files": [] }'],
    ['tap', '# pass 3\\n# fail 0\\n# cancelled 0\\n'],
    ['junit', '<testsuite tests="4" failures="0" errors="0" skipped="1">'],
  ] as const)('a %s run that failed outside its tests', async (report, text) => {
    const code = (status: number) =>
      `require('node:fs').writeFileSync(process.env.TEST_REPORT_FILE, '${text}'); process.exit(${status})`;
    expect(await countsOf(stageOf({ ...step(code(0)), report }))).toMatchObject({ passed: 3, failed: 0 });
    expect(await countsOf(stageOf({ ...step(code(1)), report }))).toMatchObject({ passed: 3, failed: 1 });
  });

  test.each([
    ['tap', '# pass 3\\n# fail 1\\n# cancelled 1\\n'],
    ['junit', '<testsuites><testsuite tests="5" failures="1" errors="1" skipped="0">'],
  ] as const)('failed tests of a %s report', async (report, text) => {
    const code = `require('node:fs').writeFileSync(process.env.TEST_REPORT_FILE, '${text}'); process.exit(1)`;
    expect(await countsOf(stageOf({ ...step(code), report }))).toMatchObject({ passed: 3, failed: 2 });
  });

  test('one of several works that run side by side', async () => {
    const stage = stageOf([step('console.log("quiet")', 'good'), step('console.log("why"); process.exit(1)', 'bad')]);
    expect(await countsOf(stage)).toMatchObject({ passed: 1, failed: 1 });
    expect(printed.join('\n')).toContain('why');
    expect(await readFile(join(dir, 'reports/planted-good.log'), 'utf8')).toBe('quiet\n');
  });
});

describe('what runs after a failure', () => {
  const bad: Stage = { name: 'bad', summary: '', works: [step('process.exit(1)')] };
  const good: Stage = { name: 'good', summary: '', works: [step('')] };

  test('nothing, or the next stage if asked', async () => {
    expect((await runStages([bad, good], options())).map(({ stage }) => stage)).toEqual(['bad']);
    const all = await runStages([bad, good], options({ keepGoing: true }));
    expect(all.map(({ stage }) => stage)).toEqual(['bad', 'good']);
  });

  test('nothing after a signal, and the running command ends', async () => {
    const ending = new AbortController();
    setTimeout(() => ending.abort(143), 300);
    const stage = stageOf(step('setTimeout(() => {}, 60_000)'), step(''));
    const results = await runStages([stage, good], options({ signal: ending.signal }));
    expect(results.map(({ passed, failed }) => [passed, failed])).toEqual([[0, 1]]);
  });
});

describe('a file that passes only in its second run', () => {
  test('is named, and does not fail CI', async () => {
    const file = 'e2e/http/metrics.e2e.test.ts';
    expect(await countsOf(stageOf(flaky(file)))).toEqual({ passed: 2, failed: 0, unsteady: [file] });
  });

  test.each([
    'e2e/money/crash.e2e.test.ts',
    'e2e/files/retention.e2e.test.ts',
    'e2e/operate/export-erase.e2e.test.ts',
    'packages/server/src/identity/sign-in.db.test.ts',
    'packages/server/src/domain/ledger/verify-books.db.test.ts',
  ])('fails CI if it is about money, files, erasure or identity: %s', async (file) => {
    expect(await countsOf(stageOf(flaky(file)))).toEqual({ passed: 2, failed: 1, unsteady: [file] });
  });

  test('always fails soak', async () => {
    const counts = await countsOf(stageOf(flaky('e2e/http/metrics.e2e.test.ts')), { steady: 'all' });
    expect(counts).toMatchObject({ failed: 1 });
  });

  test('is in the summary, which ends with the counts', async () => {
    const results = await runStages([stageOf(flaky('e2e/http/metrics.e2e.test.ts'))], options());
    const text = printSummary(summarize(results, 61), 'reports');
    expect(text).toMatch(/Flaky: .*\n {2}e2e\/http\/metrics\.e2e\.test\.ts/);
    expect(text).toMatch(/\n2 passed, 0 failed$/);
  });
});

describe('a work that is not needed', () => {
  test('is skipped with its reason, and what follows a pass runs only after a whole run', async () => {
    const done: string[] = [];
    const onPass = async () => void done.push('passed');
    await runStages([stageOf({ ...step(''), onPass, skip: async () => 'nothing changed' })], options());
    await runStages([stageOf({ ...step(''), onPass })], options({ only: ['a'] }));
    await runStages([stageOf({ ...step('process.exit(1)'), onPass })], options());
    expect(done).toEqual([]);
    await runStages([stageOf({ ...step(''), onPass })], options());
    expect(done).toEqual(['passed']);
    expect(printed.join('\n')).toContain('skipped, nothing changed');
  });
});

test('reports of an earlier run are removed', async () => {
  await runStages([stageOf(step(''))], options());
  await writeFile(join(dir, 'reports/old.report'), '');
  await runStages([stageOf(step(''))], options());
  await expect(readFile(join(dir, 'reports/old.report'))).rejects.toThrow();
});

test.each([
  ['ci', CI_STAGES],
  ['soak', SOAK_STAGES],
])('%s: the works of a stage have different names, since their reports do', (_tier, stages) => {
  for (const { name, works } of stages) {
    const names = works.flat().map((work) => work.name);
    expect(new Set(names).size, name).toBe(names.length);
  }
});
