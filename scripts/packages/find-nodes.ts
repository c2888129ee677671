import { execFileSync } from 'node:child_process';

const OLDEST_MAJOR = 20;
const CANDIDATES = [process.env.SYSTEM_NODE, '/usr/local/bin/node', '/usr/bin/node'];

/** The Node of the machine, if the published packages support it, and the one of this process. */
export function findNodes(): string[] {
  const system = CANDIDATES.filter((path) => path !== undefined).find((path) => readMajor(path) >= OLDEST_MAJOR);
  return system === undefined ? [process.execPath] : [system, process.execPath];
}

/** 0 if the program does not exist. */
function readMajor(path: string): number {
  try {
    return Number(/^v(\d+)/.exec(execFileSync(path, ['--version'], { encoding: 'utf8' }))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
