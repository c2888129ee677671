import type { Member, RoleName, Stack } from './start-stack.ts';

export interface KeptMember {
  /** The process that runs now, if one does. */
  current(): Member | null;
  /** Stops starting it again. The process itself stays, for the stack to stop. */
  release(): Promise<void>;
}

export interface KeepOptions {
  readonly role: RoleName;
  /** What the next process is started with. */
  readonly env?: () => Record<string, string>;
  readonly onGone?: (member: Member, signal: NodeJS.Signals | null) => void;
  readonly onError?: (error: Error) => void;
}

const RESTART_PAUSE_MS = 200;

/** A supervisor as an operator has one: whenever the process is gone, another is started. */
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
        // It could not start, with the database away for instance: a supervisor goes on trying.
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
