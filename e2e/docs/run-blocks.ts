import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Block } from './read-blocks.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface ShellResult {
  readonly code: number | null;
  readonly output: string;
}

/**
 * Runs blocks in order in one shell at the root of the repository, as a reader would, and stops at the first command that
 * fails. Ends processes that the blocks leave running.
 */
export async function runBlocks(
  blocks: readonly Block[],
  options: { env: Record<string, string>; timeoutMs: number },
): Promise<ShellResult> {
  const script = blocks.map(({ heading, text }) => `echo "=== ${heading}"\n${text}`).join('\n');
  // In its own process group, so that all its children end with it.
  const shell = spawn('bash', ['-eu', '-o', 'pipefail', '-c', script], {
    cwd: root,
    env: options.env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const endGroup = () => {
    try {
      process.kill(-(shell.pid as number), 'SIGKILL');
    } catch {
      // The process group no longer exists.
    }
  };
  let output = '';
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  }
  const timer = setTimeout(endGroup, options.timeoutMs);
  const code = await new Promise<number | null>((resolve) => shell.once('exit', resolve));
  clearTimeout(timer);
  endGroup();
  return { code, output };
}
