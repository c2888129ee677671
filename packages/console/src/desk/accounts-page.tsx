import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Loaded } from '../parts/loaded.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { Status } from '../parts/status.tsx';
import { TableHead } from '../parts/table-head.tsx';
import { useFormat } from '../parts/use-format.ts';
import { useText } from '../text/use-text.ts';
import { DeskLink } from './desk-link.tsx';
import { accountsQuery } from './desk-queries.ts';
import { useDeskText } from './use-desk-text.ts';

export function AccountsPage() {
  const { shell } = useText();
  const text = useDeskText().accounts;
  const format = useFormat();
  const [typed, setTyped] = useState('');
  const [search, setSearch] = useState('');
  const query = useQuery(accountsQuery(search));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setSearch(typed.trim());
  };
  return (
    <>
      <PageHead title={text.title} description={text.description} />
      <form className="toolbar" onSubmit={submit}>
        <SearchField label={text.find} value={typed} onChange={setTyped} maxLength={254} />
        <button className="button" type="submit">
          {text.search}
        </button>
      </form>
      <section className="section" aria-labelledby="accounts">
        <div className="section-head">
          <h2 id="accounts">{search === '' ? text.newest : text.found}</h2>
        </div>
        <Loaded query={query}>
          {({ items }) =>
            items.length === 0 ? (
              <p className="quiet">{text.empty}</p>
            ) : (
              <table className="table" data-stack="card">
                <TableHead
                  columns={[
                    text.name,
                    text.mode,
                    { number: text.available },
                    { number: text.held },
                    { number: text.limit },
                    text.state,
                  ]}
                />
                <tbody>
                  {items.map((account) => (
                    <tr key={account.id}>
                      <th scope="row">
                        <DeskLink to={`/accounts/${account.id}`}>{account.name}</DeskLink>
                        <span className="sub mono">{account.id}</span>
                      </th>
                      <td data-label={text.mode}>{shell[account.mode]}</td>
                      <td data-label={text.available} className="number">
                        {format.number(account.available)}
                      </td>
                      <td data-label={text.held} className="number">
                        {format.number(account.held)}
                      </td>
                      <td data-label={text.limit} className="number">
                        {format.number(account.runLimit)}
                      </td>
                      <td data-label={text.state}>
                        <Status
                          status={account.locked ? 'failed' : 'succeeded'}
                          icon={account.locked ? 'lock' : 'succeeded'}
                        >
                          {account.locked ? text.locked : text.open}
                        </Status>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )
          }
        </Loaded>
      </section>
    </>
  );
}
