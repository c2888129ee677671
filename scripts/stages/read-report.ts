import { readFile } from 'node:fs/promises';

export type ReportFormat = 'vitest' | 'tap' | 'junit';

export interface FileResult {
  readonly path: string;
  readonly seconds: number;
  readonly passed: number;
  readonly failed: number;
  readonly ok: boolean;
}

export interface TestReport {
  readonly passed: number;
  readonly failed: number;
  /** Empty if the format does not name files. */
  readonly files: readonly FileResult[];
}

const NOTHING: TestReport = { passed: 0, failed: 0, files: [] };

/** A report that is missing or broken counts no test: the caller treats that as a failure. */
export async function readReport(format: ReportFormat, path: string): Promise<TestReport> {
  try {
    return parse[format](await readFile(path, 'utf8'));
  } catch {
    return NOTHING;
  }
}

const parse: Readonly<Record<ReportFormat, (text: string) => TestReport>> = {
  /** Written by vitest-reporter.ts. */
  vitest: (text) => JSON.parse(text) as TestReport,

  tap: (text) => {
    const count = (name: string) =>
      [...text.matchAll(new RegExp(`^# ${name} (\\d+)`, 'gm'))].reduce((sum, [, digits]) => sum + Number(digits), 0);
    return { passed: count('pass'), failed: count('fail') + count('cancelled'), files: [] };
  },

  junit: (text) => {
    const suites = [...text.matchAll(/<testsuite\b[^>]*>/g)].map(([tag]) => tag);
    const count = (name: string) =>
      suites.reduce((sum, tag) => sum + Number(new RegExp(`\\b${name}="(\\d+)"`).exec(tag)?.[1] ?? 0), 0);
    const failed = count('failures') + count('errors');
    return { passed: count('tests') - failed - count('skipped'), failed, files: [] };
  },
};
