import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface WrkResult {
  readonly requestsPerSecond: number;
  readonly failures: number;
}

/** The maximum throughput of a server, measured with wrk. wrk is a closed loop, so its latencies are not used. */
export async function runWrk(options: {
  url: string;
  script: string;
  args: readonly string[];
  seconds: number;
  connections: number;
}): Promise<WrkResult> {
  // wrk takes whole seconds only.
  const seconds = Math.max(1, Math.round(options.seconds));
  const { stdout } = await run(
    'wrk',
    ['-t1', `-c${options.connections}`, `-d${seconds}s`, '-s', options.script, options.url, '--', ...options.args],
    { timeout: (seconds + 30) * 1000, maxBuffer: 1 << 20 },
  );
  const requestsPerSecond = Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
  const failures = Number(/Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1] ?? 0);
  if (!Number.isFinite(requestsPerSecond)) throw new Error(`cannot parse the output of wrk:\n${stdout}`);
  return { requestsPerSecond, failures };
}
