import { fileURLToPath } from 'node:url';
import type { FailureCode } from '@atelier/contract';
import type { EngineOutput, EngineRequest } from './engine.ts';

/** The program that a host starts for one engine. */
export const CHILD_PROGRAM = fileURLToPath(new URL('./engine-child.ts', import.meta.url));

/** The protocol is lines of JSON over the child's standard streams. The mark tells them from what libraries print. */
const MARK = '\u0001';
const MAX_LINE_BYTES = 1024 * 1024;

export interface Ask {
  readonly request: EngineRequest;
}

export type Tell =
  | { readonly kind: 'ready' }
  | { readonly kind: 'progress'; readonly progress: number }
  | { readonly kind: 'done'; readonly outputs: readonly EngineOutput[] }
  | { readonly kind: 'refused'; readonly code: FailureCode; readonly message: string }
  | { readonly kind: 'broken'; readonly message: string };

export function encodeLine(message: Ask | Tell): string {
  return `${MARK}${JSON.stringify(message)}\n`;
}

/** Joins chunks into messages. Throws when a line exceeds the limit. */
export function createLineReader<T extends Ask | Tell>(onMessage: (message: T) => void): (piece: Buffer) => void {
  let rest = '';
  return (piece) => {
    const lines = (rest + piece.toString('utf8')).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE_BYTES) throw new RangeError('The line is too long.');
    for (const line of lines) if (line.startsWith(MARK)) onMessage(JSON.parse(line.slice(MARK.length)) as T);
  };
}
