import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { type ConfinedProgram, type Confinement, LAUNCH_ENVIRONMENT } from './confinement.ts';
import { measureUse } from './measure-use.ts';
import { killGroup } from './run-program.ts';

/** Why a child ended: it exited, answered too late, broke the protocol, used too much memory, or was stopped by us. */
export type ChildFailure = 'crash' | 'timeout' | 'protocol' | 'memory' | 'stopped';

export class ChildFailed extends Error {
  override readonly name = 'ChildFailed';
  readonly reason: ChildFailure;
  constructor(reason: ChildFailure, message: string) {
    super(message);
    this.reason = reason;
  }
}

export interface ChildOptions<Message> {
  readonly confinement: Confinement;
  readonly program: ConfinedProgram;
  /** The child's private directory: created at the start, removed when the child has ended. */
  readonly dir: string;
  readonly startDeadlineMs: number;
  /** Aborts the start. */
  readonly signal?: AbortSignal | undefined;
  /** Decodes standard output piece by piece. An error that it throws stops the child. */
  readonly createReader: (onMessage: (message: Message) => void) => (piece: Buffer) => void;
  readonly isReady: (message: Message) => boolean;
  /** Handles a message that no exchange waits for. */
  readonly unexpected: 'ignore' | 'end';
  /** The child is stopped when it and its descendants use more. */
  readonly maxMemoryMb?: number;
}

/** A confined process that handles one exchange at a time. */
export interface Child<Message> {
  readonly dir: string;
  /**
   * Sends, then passes each message to `accept` until it returns a result or throws. Rejects with ChildFailed when the child
   * ends first.
   */
  exchange<T>(exchange: {
    send: string | Buffer;
    accept: (message: Message) => T | undefined;
    deadlineMs?: number;
  }): Promise<T>;
  /** Whether it runs and still has its directory. */
  usable(): boolean;
  /** Kills it with everything it started, and removes its directory. */
  stop(): Promise<void>;
}

const MEMORY_INTERVAL_MS = 250;
const MAX_COMPLAINT_BYTES = 4_096;

/** Starts a confined process and waits until it says that it is ready. */
export async function startChild<Message>(options: ChildOptions<Message>): Promise<Child<Message>> {
  const { dir, maxMemoryMb } = options;
  await mkdir(dir, { recursive: true });
  const launch = options.confinement.launch(options.program);
  const child = spawn(launch.file, launch.args, {
    stdio: ['pipe', 'pipe', 'pipe', launch.filterFd ?? 'ignore'],
    env: LAUNCH_ENVIRONMENT,
    detached: true,
  });
  launch.closeFilter();

  let complaint = '';
  let ended: ChildFailed | null = null;
  let pending: { take: (message: Message) => void; fail: (failure: ChildFailed) => void } | null = null;
  const kill = () => {
    if (child.pid !== undefined) killGroup(child.pid);
  };
  const end = (reason: ChildFailure, message: string) => {
    ended ??= new ChildFailed(reason, message);
    kill();
    pending?.fail(ended);
  };
  const read = options.createReader((message) => {
    if (pending !== null) pending.take(message);
    else if (options.unexpected === 'end') end('protocol', 'The process sent an unexpected message.');
  });
  child.stdout!.on('data', (piece: Buffer) => {
    try {
      read(piece);
    } catch (error) {
      end('protocol', `The process sent an invalid message: ${(error as Error).message}`);
    }
  });
  child.stderr!.on('data', (piece: Buffer) => {
    complaint = (complaint + piece.toString('utf8')).slice(-MAX_COMPLAINT_BYTES);
  });
  child.stdin!.on('error', kill);
  const gone = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('close', () => resolve());
  }).then(() => end('crash', `The process exited: ${complaint.trim() || 'no output'}`));
  // Descendants left running would keep its pipes open.
  child.once('exit', kill);

  if (maxMemoryMb !== undefined) {
    const watch = setInterval(() => {
      if (child.pid === undefined || ended !== null) return;
      const usedMb = measureUse(child.pid);
      if (usedMb > maxMemoryMb)
        end('memory', `The process used ${usedMb} MB of memory and temporary space; the limit is ${maxMemoryMb} MB.`);
    }, MEMORY_INTERVAL_MS).unref();
    void gone.then(() => clearInterval(watch));
  }

  const exchange = <T>(each: {
    send?: string | Buffer;
    accept: (message: Message) => T | undefined;
    deadlineMs?: number;
  }) =>
    new Promise<T>((resolve, reject) => {
      if (ended !== null) return reject(ended);
      const late = () => end('timeout', `The process did not answer within ${each.deadlineMs} ms.`);
      const deadline = each.deadlineMs === undefined ? undefined : setTimeout(late, each.deadlineMs);
      const settle = (work: () => void) => {
        pending = null;
        clearTimeout(deadline);
        work();
      };
      pending = {
        fail: (failure) => settle(() => reject(failure)),
        take(message) {
          try {
            const accepted = each.accept(message);
            if (accepted !== undefined) settle(() => resolve(accepted));
          } catch (error) {
            settle(() => reject(error));
          }
        },
      };
      if (each.send !== undefined) child.stdin!.write(each.send);
    });
  const stop = async () => {
    child.ref();
    end('stopped', 'The process was stopped.');
    await gone;
    await rm(dir, { recursive: true, force: true });
  };

  const abort = () => end('stopped', 'The process was stopped.');
  options.signal?.addEventListener('abort', abort, { once: true });
  try {
    options.signal?.throwIfAborted();
    await exchange({
      accept: (message) => options.isReady(message) || undefined,
      deadlineMs: options.startDeadlineMs,
    });
  } catch (error) {
    await stop();
    throw error;
  } finally {
    options.signal?.removeEventListener('abort', abort);
  }
  // An idle child does not keep this process running.
  child.unref();
  for (const stream of [child.stdin, child.stdout, child.stderr]) (stream as unknown as { unref: () => void }).unref();

  return { dir, exchange, usable: () => ended === null && existsSync(dir), stop };
}
