export interface Page<T> extends AsyncIterable<T> {
  readonly items: readonly T[];
  /** Where the next page starts; null on the last page. */
  readonly next: string | null;
  /** Where this page ends. With events, store it to continue later with what is new by then. */
  readonly position: string | null;
  hasNextPage(): boolean;
  getNextPage(): Promise<Page<T>>;
}

/** `await` it for the first page, or iterate over all items with `for await`. */
export type PagePromise<T> = Promise<Page<T>> & AsyncIterable<T>;

export interface RawPage<T> {
  readonly items: readonly T[];
  readonly next: string | null;
  readonly position: string | null;
}

export function paginate<T>(read: (from: string | undefined) => Promise<RawPage<T>>, from?: string): PagePromise<T> {
  const load = async (place: string | undefined): Promise<Page<T>> => {
    const raw = await read(place);
    const { next } = raw;
    const page: Page<T> = {
      ...raw,
      hasNextPage: () => next !== null,
      async getNextPage() {
        if (next === null) throw new RangeError('This is the last page');
        return load(next);
      },
      [Symbol.asyncIterator]: () => iterate(Promise.resolve(page)),
    };
    return page;
  };
  const first = load(from);
  return Object.assign(first, { [Symbol.asyncIterator]: () => iterate(first) });
}

async function* iterate<T>(first: Promise<Page<T>>): AsyncGenerator<T> {
  for (let page = await first; ; page = await page.getNextPage()) {
    yield* page.items;
    if (!page.hasNextPage()) return;
  }
}
