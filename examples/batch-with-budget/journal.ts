import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** One picture of the batch. The key and the limit are those of its request, also after a restart. */
export interface Item {
  readonly prompt: string;
  readonly idempotencyKey: string;
  readonly maxCoins: number;
  /** Set when the file is stored. */
  readonly coinsCharged?: number;
  readonly file?: string;
}

export interface Journal {
  get(line: number): Item | undefined;
  all(): Item[];
  /** Resolves when the journal is on disk. `null` forgets the item. */
  set(line: number, item: Item | null): Promise<void>;
}

/** Keeps the items of a batch in one file, which is replaced as a whole. */
export async function openJournal(dir: string): Promise<Journal> {
  await mkdir(dir, { recursive: true });
  const path = join(dir, 'batch.json');
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}';
    throw error;
  });
  const items = new Map<number, Item>(
    Object.entries(JSON.parse(text)).map(([line, item]) => [Number(line), item as Item]),
  );
  let writing = Promise.resolve();
  return {
    get: (line) => items.get(line),
    all: () => [...items.values()],
    set(line, item) {
      if (item === null) items.delete(line);
      else items.set(line, item);
      writing = writing.then(async () => {
        await writeFile(`${path}.new`, JSON.stringify(Object.fromEntries(items), null, 2), { flush: true });
        await rename(`${path}.new`, path);
      });
      return writing;
    },
  };
}
