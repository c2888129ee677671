import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Runs a server of this folder in a child process, which prints its address when it listens. */
export async function startServer(
  name: 'bare' | 'door',
  env: Readonly<Record<string, string>>,
): Promise<{ url: string; stop(): void }> {
  const path = fileURLToPath(new URL(`./${name}-server.ts`, import.meta.url));
  const child = spawn(process.execPath, [path], { env: { ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (line: Buffer) => resolve(line.toString().trim()));
    child.once('exit', () => reject(new Error(`the ${name} server exited`)));
  });
  return { url, stop: () => void child.kill('SIGKILL') };
}
