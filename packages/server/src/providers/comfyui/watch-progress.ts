import type { Backend } from '../remote/backend.ts';
import { asRecord } from '../remote/explain-answer.ts';

const MAX_MESSAGE_CHARS = 1_000_000;
const ENDS = new Set(['execution_success', 'execution_error', 'execution_interrupted']);

/** Follows runs over ComfyUI's WebSocket. Polling finds the same later, so a dropped socket loses nothing. */
export interface ProgressWatch {
  /** Whether the socket is open. */
  isLive(): boolean;
  hasEnded(id: string): boolean;
  progressOf(id: string): number;
  /** Number of messages received. */
  heard(): number;
  /** Closes the socket, then opens another in its place. What was received is kept. */
  reopen(): void;
  close(): void;
}

/** Node's WebSocket accepts headers; the standard one does not. */
type SocketWithHeaders = new (url: string, options: { headers: Record<string, string> }) => WebSocket;

export function watchProgress(
  backend: Backend,
  { clientId, nodes }: { clientId: string; nodes: number },
): ProgressWatch {
  const url = `${backend.url.replace(/^http/, 'ws')}/ws?clientId=${clientId}`;
  const progress = new Map<string, number>();
  const done = new Map<string, Set<string>>();
  const ended = new Set<string>();
  let heard = 0;
  let closed = false;
  let socket = open();

  function advance(id: string, value: number): void {
    // Progress never decreases: nodes are reported one by one and count the same.
    progress.set(id, Math.max(progress.get(id) ?? 0, Math.min(1, value / Math.max(1, nodes))));
  }
  function nodesDone(id: string): Set<string> {
    const known = done.get(id) ?? new Set<string>();
    done.set(id, known);
    return known;
  }
  function hear(text: string): void {
    const { type, data } = asRecord(JSON.parse(text));
    const { prompt_id: id, node, nodes: states, value, max } = asRecord(data);
    if (typeof id !== 'string') return;
    if (ENDS.has(String(type)) || (type === 'executing' && node === null)) ended.add(id);
    else if (type === 'execution_cached' && Array.isArray(states)) {
      for (const each of states) nodesDone(id).add(String(each));
      advance(id, nodesDone(id).size);
    } else if (type === 'executed' && typeof node === 'string') {
      nodesDone(id).add(node);
      advance(id, nodesDone(id).size);
    } else if (type === 'progress' && typeof value === 'number' && typeof max === 'number' && max > 0) {
      advance(id, nodesDone(id).size + value / max);
    } else if (type === 'progress_state') advance(id, countParts(states, nodesDone(id)));
  }
  function open(): WebSocket {
    const opened = new (WebSocket as unknown as SocketWithHeaders)(url, { headers: backend.authorization() });
    opened.binaryType = 'arraybuffer';
    opened.addEventListener('message', ({ data }) => {
      heard += 1;
      // Binary frames are previews, which are not used.
      if (typeof data !== 'string' || data.length > MAX_MESSAGE_CHARS) return;
      try {
        hear(data);
      } catch {
        opened.close();
      }
    });
    opened.addEventListener('error', () => {});
    return opened;
  }
  return {
    isLive: () => socket.readyState === WebSocket.OPEN,
    hasEnded: (id) => ended.has(id),
    progressOf: (id) => progress.get(id) ?? 0,
    heard: () => heard,
    reopen() {
      const old = socket;
      const replace = () => {
        if (!closed && socket === old) socket = open();
      };
      // Only once the old one is closed: the server drops the newer of two sockets when the older closes.
      if (old.readyState === WebSocket.CLOSED) replace();
      else {
        old.addEventListener('close', replace, { once: true });
        old.close();
      }
    },
    close() {
      closed = true;
      socket.close();
    },
  };
}

/** Finished nodes, including those reported before, and the finished parts of running ones. */
function countParts(states: unknown, done: Set<string>): number {
  let parts = 0;
  for (const [node, each] of Object.entries(asRecord(states))) {
    const { value, max, state } = asRecord(each);
    if (state === 'finished') done.add(node);
    else if (!done.has(node) && typeof value === 'number' && typeof max === 'number' && max > 0)
      parts += Math.min(1, value / max);
  }
  return done.size + parts;
}
