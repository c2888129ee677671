import { fileURLToPath } from 'node:url';
import type { Fence } from '../../scripts/docs/read-fences.ts';
import { type ProgramResult, startProgram } from './run-program.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Runs blocks in order in one shell, at the root of the repository unless told otherwise, as a reader would, and stops at the first
 * command that fails. Ends processes that the blocks leave running.
 */
export async function runBlocks(
  blocks: readonly Pick<Fence, 'heading' | 'text'>[],
  options: { env: Record<string, string>; timeoutMs: number; cwd?: string },
): Promise<ProgramResult> {
  const script = blocks.map(({ heading, text }) => `echo "=== ${heading}"\n${text}`).join('\n');
  return startProgram(['bash', '-eu', '-o', 'pipefail', '-c', script], { cwd: root, ...options }).ended;
}
