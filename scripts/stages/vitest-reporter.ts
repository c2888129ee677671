import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';
import type { FileResult, TestReport } from './read-report.ts';

/** The environment variable that names the file to write. */
export const REPORT_FILE = 'TEST_REPORT_FILE';

/** Writes counts and times by file. The time of a file includes its imports and hooks. */
export default class FileReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const path = process.env[REPORT_FILE];
    if (path === undefined) throw new Error(`${REPORT_FILE} is not set`);
    const files = modules.map(describeModule);
    const sum = (of: (file: FileResult) => number) => files.reduce((total, file) => total + of(file), 0);
    const report: TestReport = {
      passed: sum(({ passed }) => passed),
      failed: sum(({ failed }) => failed) + unhandled.length,
      files,
    };
    writeFileSync(path, JSON.stringify(report, null, 2));
  }
}

function describeModule(module: TestModule): FileResult {
  const { collectDuration, setupDuration, duration } = module.diagnostic();
  const states = [...module.children.allTests()].map((test) => test.result().state);
  const failed = states.filter((state) => state === 'failed').length;
  const ok = module.ok();
  return {
    path: relative(process.cwd(), module.moduleId),
    seconds: (collectDuration + setupDuration + duration) / 1000,
    passed: states.filter((state) => state === 'passed').length,
    // A file can fail outside its tests: while it is imported, or in a hook.
    failed: ok ? 0 : Math.max(failed, 1),
    ok,
  };
}
