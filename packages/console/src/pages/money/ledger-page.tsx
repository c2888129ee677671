import { EXPORT_FORMATS, type LedgerRow, MAX_EXPORT_ROWS, type TransferKind } from '@atelier/contract/console';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useAccount } from '../../api/session.ts';
import { balanceQuery } from '../../app/balance-query.ts';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { ListFoot } from '../../parts/list-foot.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Coins } from '../../parts/status.tsx';
import { TableHead } from '../../parts/table-head.tsx';
import { useFormat } from '../../parts/use-format.ts';
import { useText } from '../../text/use-text.ts';
import { BuyCoins, WhereToGetCoins } from './buy-coins.tsx';
import { exportUrl, ledgerQuery } from './money-queries.ts';

export function LedgerPage() {
  const { ledger: text } = useText();
  const format = useFormat();
  const { id: accountId } = useAccount();
  const query = useInfiniteQuery(ledgerQuery(accountId));
  return (
    <>
      <PageHead
        title={text.title}
        description={text.description}
        actions={
          <>
            {EXPORT_FORMATS.map((each) => (
              <a
                className="button"
                key={each}
                href={exportUrl(accountId, each)}
                download
                title={text.exportHint(format.number(MAX_EXPORT_ROWS))}
              >
                <Icon name="download" />
                {text.export[each]}
              </a>
            ))}
            <BuyCoins />
          </>
        }
      />
      <Balance />
      <WhereToGetCoins />
      <Loaded query={query}>
        {({ pages }) => {
          const items = pages.flatMap((page) => page.items);
          if (items.length === 0) return <NoTransfers />;
          return (
            <section className="section" aria-labelledby="transfers">
              <div className="section-head">
                <h2 id="transfers">{text.transfers}</h2>
                <span className="beside">{text.exportHint(format.number(MAX_EXPORT_ROWS))}</span>
              </div>
              <LedgerTable items={items} />
              <ListFoot query={query} shown={text.shown(format.number(items.length))} />
            </section>
          );
        }}
      </Loaded>
    </>
  );
}

function Balance() {
  const text = useText().ledger;
  const format = useFormat();
  const { id: accountId } = useAccount();
  const account = useQuery(balanceQuery(accountId)).data;
  if (account === undefined) return null;
  const { balance, concurrency } = account;
  return (
    <dl className="figures">
      <div>
        <dt>{text.available}</dt>
        <dd className="figure">
          <Coins>{format.number(balance.available)}</Coins>
        </dd>
      </div>
      <div>
        <dt>{text.held}</dt>
        <dd className="figure">
          <Coins>{format.number(balance.held)}</Coins>
        </dd>
        <dd>
          <Link to="/accounts/$accountId/generations" params={{ accountId }} search={{ active: true }}>
            {text.heldBy(format.number(concurrency.running + concurrency.queued))}
          </Link>
        </dd>
      </div>
    </dl>
  );
}

const ICONS = {
  grant: 'plus',
  adjust: 'settings',
  hold: 'clock',
  capture: 'check',
  release: 'repeat',
} as const satisfies Record<TransferKind, IconName>;

function LedgerTable({ items }: { items: readonly LedgerRow[] }) {
  const text = useText().ledger;
  const format = useFormat();
  const { id: accountId } = useAccount();
  const signed = (coins: number) => (coins === 0 ? '–' : `${coins > 0 ? '+' : '−'}${format.number(Math.abs(coins))}`);
  return (
    <table className="table" data-stack="lines" data-density="tight">
      <TableHead
        columns={[
          text.columns.kind,
          text.columns.for,
          text.columns.time,
          { number: text.columns.held },
          { number: text.columns.balance },
          { number: text.columns.available },
        ]}
      />
      <tbody>
        {items.map((row) => (
          <tr key={row.id}>
            <th scope="row">
              <span className="status" title={text.kindHints[row.kind]}>
                <Icon name={ICONS[row.kind]} />
                {text.kinds[row.kind]}
              </span>
            </th>
            <td data-wide>
              {row.generationId === null ? (
                <Origin reference={row.reference} />
              ) : (
                <Link
                  to="/accounts/$accountId/generations/$generationId"
                  params={{ accountId, generationId: row.generationId }}
                >
                  {row.modelName ?? row.generationId}
                </Link>
              )}
              {row.projectId !== null && <span className="sub">{row.projectId}</span>}
            </td>
            <td data-wide className="nowrap" title={format.full(row.createdAt)}>
              {format.moment(row.createdAt)}
              {row.heldChange !== 0 && <span data-narrow>{` · ${text.heldChange(signed(row.heldChange))}`}</span>}
            </td>
            <td className="number" data-omit>
              {signed(row.heldChange)}
            </td>
            <td className="number" data-omit>
              {format.number(row.availableAfter)}
            </td>
            <td className="number nowrap">{signed(row.availableChange)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What a grant or a correction is for: a purchase, a refund, or what the operator named. */
function Origin({ reference }: { reference: string | null }) {
  const text = useText().ledger;
  if (reference === null) return <span className="quiet">{text.byOperator}</span>;
  if (!reference.startsWith('checkout/')) return reference;
  return reference.split('/').length === 2 ? text.purchase : text.refund;
}

function NoTransfers() {
  const text = useText().ledger;
  return (
    <div className="empty">
      <h2>{text.empty}</h2>
      <p>{text.emptyHint}</p>
    </div>
  );
}
