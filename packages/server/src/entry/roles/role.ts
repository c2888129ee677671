import type { FastifyInstance } from 'fastify';
import { ConfigError } from '../config/config.ts';
import type { SettingName } from '../config/settings.ts';

/** A started role: it can be stopped. */
export interface Role {
  readonly name: string;
  /** Addresses that it listens on. */
  readonly addresses: readonly string[];
  /** When it last got work done, on the process's monotonic scale; absent where that is not known. */
  lastWorkMs?(): number;
  /** Information for the operator, by name; shown with readiness on the metrics port. */
  details?(): Promise<Record<string, string>>;
  /** Accepts no new work, finishes current work and releases all resources. */
  stop(): Promise<void>;
}

/** Whether a check passes within the time. */
export async function passes(check: () => Promise<unknown>, timeoutMs = 2_000): Promise<boolean> {
  return within(timeoutMs, check).then(
    () => true,
    () => false,
  );
}

/** Throws if the check fails or takes longer. */
export async function within(timeoutMs: number, check: () => Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  try {
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    });
    await Promise.race([check(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Lets current requests finish; closes connections that remain after the timeout. */
export async function closeWithin(app: FastifyInstance, timeoutMs: number): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), timeoutMs);
  try {
    await app.close();
  } finally {
    clearTimeout(timer);
  }
}

const LISTEN_ERRORS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use by another process',
  EACCES: 'may not be used by this user',
  EADDRNOTAVAIL: 'is not an address of this machine: check HOST',
  ENOTFOUND: 'is not an address of this machine: check HOST',
};

/** Names the setting if listening on its port fails. */
export async function listenOrExplain<T>(
  place: { setting: SettingName; host: string; port: number },
  listen: () => Promise<T>,
): Promise<T> {
  try {
    return await listen();
  } catch (error) {
    const reason = LISTEN_ERRORS[(error as NodeJS.ErrnoException).code ?? ''];
    if (reason === undefined) throw error;
    throw new ConfigError(`${place.setting}: ${place.host}:${place.port} ${reason}`);
  }
}
