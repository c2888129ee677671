import { useInfiniteQuery } from '@tanstack/react-query';
import { request } from '../api/request.ts';
import { Loaded } from '../parts/loaded.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { useText } from '../text/use-text.ts';
import { AuditTable } from './audit-table.tsx';
import { useDeskText } from './use-desk-text.ts';

export function AuditPage() {
  const { actions } = useText();
  const text = useDeskText().audit;
  const query = useInfiniteQuery({
    queryKey: ['audit'],
    queryFn: ({ pageParam }) =>
      request('GET /api/desk/audit', { query: pageParam === null ? {} : { before: pageParam } }),
    initialPageParam: null as number | null,
    getNextPageParam: ({ nextBefore }) => nextBefore,
  });
  return (
    <>
      <PageHead title={text.title} description={text.description} />
      <Loaded query={query}>
        {({ pages }) => <AuditTable entries={pages.flatMap(({ items }) => items)} withAccount />}
      </Loaded>
      {query.hasNextPage && (
        <div className="actions section">
          <button className="button" type="button" onClick={() => void query.fetchNextPage()}>
            {actions.next}
          </button>
        </div>
      )}
    </>
  );
}
