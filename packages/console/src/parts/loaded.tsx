import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useText } from '../text/use-text.ts';
import { ProblemNotice } from './problem-notice.tsx';

const ROWS = ['long', 'medium', 'long', 'medium'] as const;

/** Placeholders in the form of a table. */
export function SkeletonTable() {
  const text = useText();
  return (
    <table className="table" aria-busy="true">
      <caption className="hidden">{text.loading}</caption>
      <tbody>
        {ROWS.map((width, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity
          <tr key={row}>
            <td>
              <span className="skeleton" data-width={width} />
            </td>
            <td>
              <span className="skeleton" data-width="short" />
            </td>
            <td>
              <span className="skeleton" data-width="medium" />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What a query returned, or its error with a way to try again, or placeholders. */
export function Loaded<T>({
  query,
  children,
}: {
  query: Pick<UseQueryResult<T>, 'data' | 'error' | 'refetch'>;
  children(data: T): ReactNode;
}) {
  if (query.data !== undefined) return children(query.data);
  if (query.error !== null) return <ProblemNotice error={query.error} onRetry={() => void query.refetch()} />;
  return <SkeletonTable />;
}
