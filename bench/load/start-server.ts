import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ProcessCost } from './process-cost.ts';

export interface BenchServer {
  readonly origin: string;
  /** What the process spent since the last call. */
  cost(): Promise<ProcessCost>;
  stop(): void;
}

/** Runs a server that calls `reportToBench`, in a child process. */
export async function startServer(script: URL, env: Readonly<Record<string, string>>): Promise<BenchServer> {
  const child = fork(fileURLToPath(script), [], { env: { ...env }, execArgv: [] });
  const nextMessage = <T>() =>
    new Promise<T>((resolve, reject) => {
      const fail = () => reject(new Error(`${script.pathname} exited`));
      child.once('exit', fail);
      child.once('message', (message) => {
        child.off('exit', fail);
        resolve(message as T);
      });
    });
  const origin = await nextMessage<string>();
  return {
    origin,
    cost() {
      const answered = nextMessage<ProcessCost>();
      child.send('cost');
      return answered;
    },
    stop: () => void child.kill('SIGKILL'),
  };
}
