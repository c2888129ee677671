import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Arrival, ReceiverOrder } from './receiver-process.ts';

export interface ReceiverProcess {
  readonly url: string;
  arrivals(): Promise<readonly Arrival[]>;
  count(): Promise<{ count: number; lastMs: number }>;
  forget(): Promise<void>;
  stop(): void;
}

const program = fileURLToPath(new URL('./receiver-process.ts', import.meta.url));

export async function startReceiverProcess(options: { countOnly?: boolean } = {}): Promise<ReceiverProcess> {
  const child: ChildProcess = fork(program, options.countOnly === true ? ['count'] : [], {
    execArgv: [],
    serialization: 'advanced',
  });
  const answer = <T>() => new Promise<T>((resolve) => child.once('message', (message) => resolve(message as T)));
  const ask = <T>(order: ReceiverOrder): Promise<T> => {
    const answered = answer<T>();
    child.send(order);
    return answered;
  };
  const { port } = await answer<{ port: number }>();
  return {
    url: `http://127.0.0.1:${port}`,
    arrivals: async () => (await ask<{ arrivals: Arrival[] }>('report')).arrivals,
    count: () => ask('count'),
    forget: async () => {
      await ask('forget');
    },
    stop: () => child.disconnect(),
  };
}
