export interface Fence {
  readonly kind: 'fence';
  readonly language: string;
  /** What follows the language in the info string, such as `no-run="reason"`. */
  readonly meta: string;
  readonly text: string;
  /** The second-level heading above the block, and the nearest heading. */
  readonly section: string;
  readonly heading: string;
  /** Of the opening fence, from 1. */
  readonly line: number;
}

interface Prose {
  readonly kind: 'prose';
  readonly text: string;
}

const OPEN = /^(`{3,}|~{3,})\s*([\w-]*)\s*(.*)$/;
const HEADING = /^(#+) (.*)$/;

/** Splits a Markdown document into code blocks and what is between them, in order. Joined again, nothing is lost. */
export function splitFences(markdown: string): (Fence | Prose)[] {
  const parts: (Fence | Prose)[] = [];
  let prose: string[] = [];
  let section = '';
  let heading = '';
  const lines = markdown.split('\n');
  for (let n = 0; n < lines.length; n += 1) {
    const line = lines[n] as string;
    const [, mark, language, meta] = OPEN.exec(line) ?? [];
    if (mark === undefined) {
      const [, hashes, title] = HEADING.exec(line) ?? [];
      if (hashes !== undefined) {
        heading = title ?? '';
        if (hashes === '##') section = heading;
      }
      prose.push(line);
      continue;
    }
    if (prose.length > 0) parts.push({ kind: 'prose', text: prose.join('\n') });
    prose = [];
    const end = lines.findIndex((each, index) => index > n && each.trimEnd() === mark);
    if (end === -1) throw new Error(`the code block at line ${n + 1} has no end`);
    const text = lines.slice(n + 1, end).join('\n');
    parts.push({ kind: 'fence', language: language ?? '', meta: meta ?? '', text, section, heading, line: n + 1 });
    n = end;
  }
  if (prose.length > 0) parts.push({ kind: 'prose', text: prose.join('\n') });
  return parts;
}

export const readFences = (markdown: string): Fence[] =>
  splitFences(markdown).filter((part) => part.kind === 'fence') as Fence[];

/** The reason why a block is not executed, from `no-run="reason"`; null if it is. */
export const whyNotRun = ({ meta }: Fence): string | null => /(?:^|\s)no-run="([^"]+)"/.exec(meta)?.[1] ?? null;
