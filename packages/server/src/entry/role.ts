import type { FastifyInstance } from 'fastify';

/** A started role: it can be stopped, and says whether its parts work. */
export interface Role {
  readonly name: string;
  /** Addresses that it answers on. */
  readonly addresses: readonly string[];
  ready(): Promise<Record<string, boolean>>;
  /** When it last got work done, on the process's monotonic scale; absent where that is not known. */
  lastWorkMs?(): number;
  /** What the operator should know though the role works, by name; shown beside readiness on the metrics port. */
  details?(): Promise<Record<string, string>>;
  /** Takes nothing new, finishes what is in work, and lets go of everything. */
  stop(): Promise<void>;
}

/** Whether a check passes within the time. */
export async function passes(check: () => Promise<unknown>, timeoutMs = 2_000): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  try {
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error('too slow')), timeoutMs);
    });
    await Promise.race([check(), late]);
    return true;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}

/** Lets requests in work end; what is left after the time loses its connection. */
export async function closeWithin(app: FastifyInstance, timeoutMs: number): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), timeoutMs);
  try {
    await app.close();
  } finally {
    clearTimeout(timer);
  }
}
