import type { AuditEntry } from '@atelier/contract/desk';
import { TableHead } from '../parts/table-head.tsx';
import { useFormat } from '../parts/use-format.ts';
import { DeskLink } from './desk-link.tsx';
import { useDeskText } from './use-desk-text.ts';

export function AuditTable({ entries, withAccount }: { entries: readonly AuditEntry[]; withAccount: boolean }) {
  const text = useDeskText().audit;
  const format = useFormat();
  if (entries.length === 0) return <p className="quiet">{text.empty}</p>;
  return (
    <table className="table" data-stack="lines" data-density="tight">
      <TableHead columns={[text.action, text.who, text.detail, { number: text.at }]} />
      <tbody>
        {entries.map((entry) => (
          <tr key={entry.id}>
            <th scope="row" className="mono">
              {entry.action}
            </th>
            <td data-wide>{entry.person ?? entry.actor}</td>
            <td data-wide className="message">
              {describe(entry.detail)}
              {withAccount && entry.accountId !== null && (
                <span className="sub">
                  {text.account} <DeskLink to={`/accounts/${entry.accountId}`}>{entry.accountId}</DeskLink>
                </span>
              )}
            </td>
            <td className="number nowrap" title={format.full(entry.at)}>
              {format.moment(entry.at)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** "coins 5000, reason Invoice": the detail of an entry on one line. */
function describe(detail: AuditEntry['detail']): string {
  return Object.entries(detail)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}
