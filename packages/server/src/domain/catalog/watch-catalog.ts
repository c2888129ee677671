import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';
import type { Catalog } from './catalog.ts';
import { loadCatalog } from './load-catalog.ts';

export interface CatalogHolder {
  current(): Catalog;
  /** Whether the files on disk are invalid, so that an older catalog is used. */
  isRefused(): boolean;
  /** Reads the files now. An invalid file is reported to `onRefused`; this never rejects. */
  reload(): Promise<void>;
  close(): void;
}

/** Editors write a file in several steps; files are read after this long without changes. */
const DEBOUNCE_MS = 200;

/** Keeps the latest valid catalog: files are read again when they change, and invalid ones leave the old catalog in place. */
export async function createCatalogHolder(options: {
  dir: string;
  onReload?: (catalog: Catalog) => void;
  /** A CatalogError lists each error; any other error came from the file system. */
  onRefused?: (error: Error) => void;
}): Promise<CatalogHolder> {
  const { dir, onReload, onRefused } = options;
  let catalog: Catalog;
  let watchers: FSWatcher[] = [];
  let timer: NodeJS.Timeout | undefined;
  let turn: Promise<void> = Promise.resolve();
  let closed = false;
  let refused = false;

  async function readAgain(): Promise<void> {
    if (closed) return;
    // A replaced folder is watched again.
    arm();
    try {
      const next = await loadCatalog(dir);
      refused = false;
      if (closed || next.version === catalog.version) return;
      catalog = next;
      onReload?.(next);
    } catch (error) {
      refused = true;
      if (!closed) onRefused?.(error as Error);
    }
  }

  function reload(): Promise<void> {
    turn = turn.then(readAgain);
    return turn;
  }

  function arm(): void {
    disarm();
    for (const path of [dir, join(dir, 'models'), join(dir, 'effects')]) {
      try {
        const watcher = watch(path, { persistent: false }, schedule);
        watcher.on('error', (error) => onRefused?.(error));
        watchers.push(watcher);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') onRefused?.(error as Error);
      }
    }
  }

  function schedule(): void {
    clearTimeout(timer);
    timer = setTimeout(() => void reload(), DEBOUNCE_MS);
    timer.unref();
  }

  function close(): void {
    closed = true;
    clearTimeout(timer);
    disarm();
  }

  function disarm(): void {
    for (const watcher of watchers) watcher.close();
    watchers = [];
  }

  // Watching starts before reading, so that no change is missed.
  arm();
  const first = loadCatalog(dir).then((read) => {
    catalog = read;
  });
  // A change during the first read is read after it.
  turn = first.catch(() => {});
  try {
    await first;
  } catch (error) {
    close();
    throw error;
  }

  return {
    current: () => catalog,
    isRefused: () => refused,
    reload,
    close,
  };
}
