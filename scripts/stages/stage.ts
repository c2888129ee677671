import type { ReportFormat } from './read-report.ts';

/** What a command is told about the run. */
export interface RunPlace {
  /** The file to write the report to. */
  readonly report: string;
  /** `n/m`: run only this part of the test files. Null: all. */
  readonly shard: string | null;
  /** Run only test files whose path contains one of these. Empty: all. */
  readonly only: readonly string[];
}

/** A command that passes or fails. With a report, each test counts; without one, the command counts as one. */
export interface Work {
  readonly name: string;
  readonly limitMinutes: number;
  readonly command: (place: RunPlace) => readonly string[];
  readonly env?: () => Readonly<Record<string, string>>;
  readonly report?: ReportFormat;
  /** Returns why the work is not needed, or null if it is. */
  readonly skip?: () => Promise<string | null>;
  /** Runs after the work passed, unless only a part of its tests ran. */
  readonly onPass?: () => Promise<void>;
}

export interface Stage {
  readonly name: string;
  readonly summary: string;
  /** The entries run one after another. The works of an inner list run at the same time. */
  readonly works: ReadonlyArray<Work | readonly Work[]>;
  /** The stage can run a part of its test files. */
  readonly sharded?: true;
}
