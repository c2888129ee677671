import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import type { FileError } from '../catalog-error.ts';
import type { Path } from './report.ts';

export interface Source {
  readonly file: string;
  readonly value: unknown;
  /** The line of the given path, or of its nearest ancestor in the file. */
  lineOf(path: Path): number;
}

const MAX_ALIASES = 100;

/** A YAML file as plain values with their line numbers. */
export function parseSource(options: { file: string; text: string }): { source: Source | null; errors: FileError[] } {
  const { file, text } = options;
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const broken = [...document.errors, ...document.warnings];
  if (broken.length > 0) {
    const errors = broken.map(({ pos, message }) => ({ file, line: lines.linePos(pos[0]).line, reason: message }));
    return { source: null, errors };
  }
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    return { source: null, errors: [{ file, line: 1, reason: (error as Error).message }] };
  }
  function lineOf(path: Path): number {
    let node: unknown = document.contents;
    let offset = 0;
    for (const step of path) {
      if (isAlias(node)) node = node.resolve(document);
      if (isMap(node)) {
        const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
        if (pair === undefined) break;
        offset = rangeStart(pair.key) ?? offset;
        node = pair.value;
      } else if (isSeq(node) && typeof step === 'number') {
        node = node.items[step];
        offset = rangeStart(node) ?? offset;
      } else break;
    }
    return lines.linePos(offset).line;
  }
  return { source: { file, value, lineOf }, errors: [] };
}

function rangeStart(node: unknown): number | undefined {
  return (node as { range?: [number, number, number] | null } | undefined)?.range?.[0];
}
