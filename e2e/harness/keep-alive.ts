import type { Member, RoleName, Stack } from './start-stack.ts';

export interface KeptMember {
  /** The running process, if any. */
  current(): Member | null;
  /** Stops restarting it. The process keeps running until the stack stops it. */
  release(): Promise<void>;
}

export interface KeepOptions {
  readonly role: RoleName;
  /** Options of the next process. */
  readonly env?: () => Record<string, string>;
  readonly onGone?: (member: Member, signal: NodeJS.Signals | null) => void;
  readonly onError?: (error: Error) => void;
}

const RESTART_PAUSE_MS = 200;

/** A supervisor: restarts the process whenever it exits. */
export function keepAlive(stack: Pick<Stack, 'start'>, options: KeepOptions): KeptMember {
  let current: Member | null = null;
  let released = false;
  let release = () => {};
  const letGo = new Promise<void>((resolve) => {
    release = resolve;
  });
  const run = async () => {
    while (!released) {
      try {
        current = await stack.start(options.role, options.env?.() ?? {});
        const member = current;
        const end = await Promise.race([member.gone(), letGo]);
        if (end === undefined) return;
        current = null;
        options.onGone?.(member, end.signal);
      } catch (error) {
        // It could not start, for example without the database: keep trying.
        current = null;
        options.onError?.(error as Error);
        await new Promise((resolve) => setTimeout(resolve, RESTART_PAUSE_MS));
      }
    }
  };
  const running = run();
  return {
    current: () => current,
    async release() {
      released = true;
      release();
      await running;
    },
  };
}
