import { useText } from '../text/use-text.ts';

interface Pages {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  fetchNextPage(): Promise<unknown>;
}

/** Below a list: how many rows are shown, and a button for more. */
export function ListFoot({ query, shown }: { query: Pages; shown: string }) {
  const { actions } = useText();
  return (
    <div className="toolbar">
      <span className="quiet">{shown}</span>
      {query.hasNextPage && (
        <button
          className="button push"
          data-size="small"
          type="button"
          disabled={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {actions.next}
        </button>
      )}
    </div>
  );
}
