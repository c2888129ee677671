import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Figures } from './bench.ts';

const main = fileURLToPath(new URL('./main.ts', import.meta.url));

/**
 * Runs benches one after the other, each in its own process, so that none measures the heap or the compiled code that
 * another left behind. A bench that fails is reported and left out.
 */
export async function runBenches(
  names: readonly string[],
  options: { readonly seconds: number; readonly rounds: number; readonly say: (line: string) => void },
): Promise<ReadonlyMap<string, Figures>> {
  const measured = new Map<string, Figures>();
  for (const name of names) {
    options.say(`measuring ${name}`);
    try {
      measured.set(name, await runBench(name, options));
    } catch (error) {
      options.say(`${name} failed: ${(error as Error).message}`);
    }
  }
  return measured;
}

async function runBench(name: string, options: { seconds: number; rounds: number }): Promise<Figures> {
  const child = spawn(
    process.execPath,
    [main, name, '--json', '--seconds', String(options.seconds), '--rounds', String(options.rounds)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`exit status ${code}`);
  return JSON.parse(text.trim().split('\n').at(-1) ?? '') as Figures;
}
