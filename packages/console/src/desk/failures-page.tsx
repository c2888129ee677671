import { FAILURE_CODES } from '@atelier/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { SmallSelect } from '../parts/field.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { TableHead } from '../parts/table-head.tsx';
import { useFormat } from '../parts/use-format.ts';
import { DeskLink } from './desk-link.tsx';
import { failuresQuery } from './desk-queries.ts';
import { useDeskText } from './use-desk-text.ts';

export function FailuresPage() {
  const text = useDeskText().failures;
  const format = useFormat();
  const [code, setCode] = useState('');
  const query = useQuery(failuresQuery(code));
  return (
    <>
      <PageHead
        title={text.title}
        description={text.description}
        actions={
          <SmallSelect
            label={text.code}
            choice={code}
            choices={[{ value: '', label: text.every }, ...FAILURE_CODES.map((value) => ({ value, label: value }))]}
            onChoice={setCode}
          />
        }
      />
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="quiet">{text.empty}</p>
          ) : (
            <table className="table" data-stack="lines" data-density="tight">
              <TableHead columns={[text.code, text.model, text.message, text.decision, { number: text.at }]} />
              <tbody>
                {items.map((failure) => (
                  <tr key={failure.id}>
                    <th scope="row" className="mono">
                      {failure.code}
                    </th>
                    <td>
                      <DeskLink to={`/models/${failure.modelId}`}>{failure.modelId}</DeskLink>
                      {failure.target !== null && <span className="sub">{failure.target}</span>}
                    </td>
                    <td data-wide className="message">
                      <span className="mono">{failure.message}</span>
                      <span className="sub">
                        <DeskLink to={`/accounts/${failure.accountId}`}>{failure.accountName}</DeskLink>{' '}
                        <code>{failure.generationId}</code>
                      </span>
                    </td>
                    <td>{text.decisions[failure.decision]}</td>
                    <td className="number nowrap">{format.near(failure.createdAt)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )
        }
      </Loaded>
    </>
  );
}
