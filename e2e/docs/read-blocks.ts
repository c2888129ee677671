import { readFile } from 'node:fs/promises';

export interface Block {
  /** The second-level heading above the block, and the nearest heading. */
  readonly section: string;
  readonly heading: string;
  readonly text: string;
}

const LINE = /^(?:(#+) (.*)|```(\w*))$/;

/** The shell blocks of a page, in order. */
export async function readBlocks(page: URL): Promise<Block[]> {
  const blocks: Block[] = [];
  let section = '';
  let heading = '';
  let open: { language: string; lines: string[] } | null = null;
  for (const line of (await readFile(page, 'utf8')).split('\n')) {
    if (open !== null && line !== '```') {
      open.lines.push(line);
      continue;
    }
    const [, hashes, title, language] = LINE.exec(line) ?? [];
    if (open !== null) {
      if (open.language === 'sh') blocks.push({ section, heading, text: open.lines.join('\n') });
      open = null;
    } else if (hashes !== undefined) {
      heading = title ?? '';
      if (hashes === '##') section = heading;
    } else if (language !== undefined) open = { language, lines: [] };
  }
  return blocks;
}
