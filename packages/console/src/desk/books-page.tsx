import type { Books } from '@atelier/contract/desk';
import { useQuery } from '@tanstack/react-query';
import { Icon } from '../parts/icon.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Status } from '../parts/status.tsx';
import { TableHead } from '../parts/table-head.tsx';
import { useFormat } from '../parts/use-format.ts';
import { booksQuery } from './desk-queries.ts';
import { useDeskText } from './use-desk-text.ts';

export function BooksPage() {
  const text = useDeskText().books;
  const query = useQuery(booksQuery);
  return (
    <>
      <PageHead
        title={text.title}
        description={text.description}
        actions={
          <button className="button" type="button" disabled={query.isFetching} onClick={() => void query.refetch()}>
            <Icon name="repeat" />
            {query.isFetching ? text.checking : text.again}
          </button>
        }
      />
      <Loaded query={query}>{(books) => <Checks books={books} />}</Loaded>
    </>
  );
}

function Checks({ books }: { books: Books }) {
  const text = useDeskText().books;
  const format = useFormat();
  const violations = books.checks.reduce((sum, { violations: count }) => sum + (count ?? 0), 0);
  const unchecked = books.checks.filter(({ violations: count }) => count === null).length;
  const checked = books.checks.length - unchecked;
  return (
    <>
      <div
        className="notice"
        data-tone={violations > 0 ? 'danger' : unchecked > 0 ? 'warning' : 'success'}
        role="status"
      >
        <Icon name={violations > 0 ? 'failed' : unchecked > 0 ? 'warning' : 'succeeded'} />
        <div>
          <strong>
            {violations > 0 ? text.broken(format.number(violations)) : text.clean(format.number(checked))}
          </strong>
          <p>
            {text.checkedAt(format.clock(books.checkedAt))}
            {unchecked > 0 && `. ${text.unchecked(format.number(unchecked))}`}
          </p>
        </div>
      </div>
      <table className="table section" data-stack="lines" data-density="tight">
        <TableHead columns={[text.id, text.claim, text.violations, { number: text.time }]} />
        <tbody>
          {books.checks.map((check) => (
            <tr key={check.id}>
              <th scope="row" className="mono">
                {check.id}
              </th>
              <td data-wide className="message">
                {check.claim}
                {check.first.map((row) => (
                  <code className="sub" key={JSON.stringify(row)}>
                    {JSON.stringify(row)}
                  </code>
                ))}
              </td>
              <td>
                <Count count={check.violations} />
              </td>
              <td className="number nowrap">{format.span(check.durationMs)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function Count({ count }: { count: number | null }) {
  const text = useDeskText().books;
  const format = useFormat();
  if (count === null) {
    return (
      <Status status="pending" icon="warning">
        {text.notChecked}
      </Status>
    );
  }
  return (
    <Status status={count === 0 ? 'succeeded' : 'failed'} icon={count === 0 ? 'succeeded' : 'failed'}>
      {format.number(count)}
    </Status>
  );
}
