import { runProgram } from '../run-program.ts';

/** Reserved for closing the file, which ffmpeg does not report. */
const ALMOST = 0.99;

/** Runs ffmpeg and reports the seconds written as progress. */
export async function runFfmpeg(options: {
  ffmpeg: string;
  args: readonly string[];
  cwd: string;
  /** How long the result will be. */
  seconds: number;
  report: (progress: number) => void;
}): Promise<void> {
  await runProgram({
    path: options.ffmpeg,
    args: ['-nostdin', '-v', 'error', '-y', '-progress', 'pipe:2', '-stats_period', '0.25', ...options.args],
    cwd: options.cwd,
    onLine: (line) => {
      const done = readProgress(line);
      if (done !== null) options.report(Math.min(ALMOST, done / options.seconds));
    },
  });
}

/** Seconds written so far, from a line of `-progress`. */
export function readProgress(line: string): number | null {
  const found = /^out_time_us=(\d+)$/.exec(line.trim());
  return found === null ? null : Number(found[1]) / 1_000_000;
}
