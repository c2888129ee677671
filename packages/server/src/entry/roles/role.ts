import type { FastifyInstance } from 'fastify';
import { ConfigError } from '../config/config.ts';
import type { SettingName } from '../config/settings.ts';

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

/** A readiness check is shared by everybody who asks within this time. */
export const READY_LIFE_MS = 1_000;

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

const LISTEN_FAULTS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use by another process',
  EACCES: 'may not be used by this user',
  EADDRNOTAVAIL: 'is no address of this machine: check HOST',
  ENOTFOUND: 'is no address of this machine: check HOST',
};

/** Names the setting of a port that cannot be listened on. */
export async function listenOrExplain<T>(
  place: { setting: SettingName; host: string; port: number },
  listen: () => Promise<T>,
): Promise<T> {
  try {
    return await listen();
  } catch (error) {
    const fault = LISTEN_FAULTS[(error as NodeJS.ErrnoException).code ?? ''];
    if (fault === undefined) throw error;
    throw new ConfigError(`${place.setting}: ${place.host}:${place.port} ${fault}`);
  }
}
