import { UUID_PATTERN } from '@atelier/contract';
import type { FoundRequest } from '@atelier/contract/desk';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Loaded } from '../parts/loaded.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { TableHead } from '../parts/table-head.tsx';
import { useFormat } from '../parts/use-format.ts';
import { DeskLink } from './desk-link.tsx';
import { findQuery } from './desk-queries.ts';
import { useDeskText } from './use-desk-text.ts';

const UUID = new RegExp(UUID_PATTERN);

/** From the id that a customer reports to the cause. */
export function SearchPage() {
  const text = useDeskText().search;
  const [typed, setTyped] = useState('');
  const [id, setId] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setId(typed.trim().toLowerCase());
  };
  return (
    <>
      <PageHead title={text.title} description={text.description} />
      <form className="toolbar" onSubmit={submit}>
        <SearchField label={text.find} value={typed} onChange={setTyped} maxLength={64} />
        <button className="button" type="submit">
          {text.search}
        </button>
      </form>
      {id !== '' && (UUID.test(id) ? <Found id={id} /> : <p className="quiet">{text.invalid}</p>)}
    </>
  );
}

function Found({ id }: { id: string }) {
  const text = useDeskText().search;
  return (
    <Loaded query={useQuery(findQuery(id))}>
      {(found) =>
        found.requests.length === 0 && found.generation === null ? (
          <p className="quiet">{text.empty}</p>
        ) : (
          <>
            <Requests requests={found.requests} />
            {found.generation !== null && <Generation generation={found.generation} />}
            {found.generation !== null && <Attempts failures={found.failures} />}
          </>
        )
      }
    </Loaded>
  );
}

function Requests({ requests }: Pick<FoundRequest, 'requests'>) {
  const text = useDeskText().search;
  const format = useFormat();
  return (
    <section className="section" aria-labelledby="requests">
      <div className="section-head">
        <h2 id="requests">{text.requests}</h2>
      </div>
      {requests.length === 0 ? (
        <p className="quiet">{text.noRequests}</p>
      ) : (
        <table className="table" data-stack="lines" data-density="tight">
          <TableHead columns={[text.request, text.operation, text.outcome, text.issues, { number: text.at }]} />
          <tbody>
            {requests.map((each) => (
              <tr key={each.id}>
                <th scope="row" className="mono">
                  {each.id}
                  <span className="sub">
                    <DeskLink to={`/accounts/${each.accountId}`}>{each.accountId}</DeskLink>
                  </span>
                </th>
                <td>
                  {each.operation}
                  <span className="sub">{each.channel}</span>
                </td>
                <td className="mono">
                  {each.status} {each.code}
                </td>
                <td data-wide className="mono">
                  {each.issuePaths.join(', ')}
                </td>
                <td className="number nowrap">{format.near(each.createdAt)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Generation({ generation }: { generation: NonNullable<FoundRequest['generation']> }) {
  const text = useDeskText().search;
  const format = useFormat();
  return (
    <section className="section" aria-labelledby="generation">
      <div className="section-head">
        <h2 id="generation">{text.generation}</h2>
      </div>
      <table className="table" data-stack="lines" data-density="tight">
        <TableHead columns={[text.generation, text.model, text.status, text.worker, { number: text.coins }]} />
        <tbody>
          <tr>
            <th scope="row" className="mono">
              {generation.id}
              <span className="sub">
                <DeskLink to={`/accounts/${generation.accountId}`}>{generation.accountId}</DeskLink>
              </span>
            </th>
            <td>
              <DeskLink to={`/models/${generation.modelId}`}>{generation.modelId}</DeskLink>
              <span className="sub">{generation.pool}</span>
            </td>
            <td>
              {generation.status}
              {generation.errorCode !== null && <span className="sub mono">{generation.errorCode}</span>}
            </td>
            <td>
              {generation.worker ?? '–'}
              {generation.target !== null && <span className="sub">{generation.target}</span>}
            </td>
            <td className="number nowrap">
              {format.number(generation.coinsCharged ?? generation.coinsQuoted)}
              <span className="sub">{format.near(generation.createdAt)}</span>
            </td>
          </tr>
        </tbody>
      </table>
    </section>
  );
}

function Attempts({ failures }: Pick<FoundRequest, 'failures'>) {
  const { search: text, failures: words } = useDeskText();
  const format = useFormat();
  return (
    <section className="section" aria-labelledby="attempts">
      <div className="section-head">
        <h2 id="attempts">{text.attempts}</h2>
      </div>
      {failures.length === 0 ? (
        <p className="quiet">{text.noAttempts}</p>
      ) : (
        <table className="table" data-stack="lines" data-density="tight">
          <TableHead columns={[text.attempt, words.code, words.message, words.decision, { number: words.at }]} />
          <tbody>
            {failures.map((failure, n) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes its order
              <tr key={n}>
                <th scope="row">
                  {failure.attempt}
                  {failure.target !== null && <span className="sub">{failure.target}</span>}
                </th>
                <td className="mono">{failure.code}</td>
                <td data-wide className="mono message">
                  {failure.message}
                </td>
                <td>{words.decisions[failure.decision]}</td>
                <td className="number nowrap">{format.near(failure.createdAt)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
