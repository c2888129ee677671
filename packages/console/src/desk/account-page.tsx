import type { DeskAccountDetail } from '@atelier/contract/desk';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { Icon } from '../parts/icon.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { TableHead } from '../parts/table-head.tsx';
import { useFormat } from '../parts/use-format.ts';
import { useText } from '../text/use-text.ts';
import { LimitsDialog, LockDialog, MoveDialog } from './account-dialogs.tsx';
import { AuditTable } from './audit-table.tsx';
import { DeskLink } from './desk-link.tsx';
import { accountQuery } from './desk-queries.ts';
import { useDeskText } from './use-desk-text.ts';

type Open = 'grant' | 'adjust' | 'lock' | 'limits' | null;

export function AccountPage() {
  const { accountId = '' } = useParams({ strict: false });
  const query = useQuery(accountQuery(accountId));
  return <Loaded query={query}>{(account) => <Account account={account} />}</Loaded>;
}

function Account({ account }: { account: DeskAccountDetail }) {
  const { shell } = useText();
  const text = useDeskText();
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  return (
    <>
      <nav className="crumbs" aria-label={text.account.crumbs}>
        <DeskLink to="/accounts">{text.account.crumbs}</DeskLink>
      </nav>
      <PageHead
        title={account.name}
        description={
          <>
            {shell[account.mode]} <code>{account.id}</code>
          </>
        }
        actions={
          <>
            <button className="button" data-kind="primary" type="button" onClick={() => setOpen('grant')}>
              <Icon name="coin" />
              {text.account.grant}
            </button>
            <button className="button" type="button" onClick={() => setOpen('adjust')}>
              {text.account.adjust}
            </button>
            <button className="button" type="button" onClick={() => setOpen('limits')}>
              {text.account.limits}
            </button>
            <button className="button" data-kind="danger" type="button" onClick={() => setOpen('lock')}>
              {account.locked ? text.account.unlock : text.account.lock}
            </button>
          </>
        }
      />
      {account.locked && (
        <div className="notice" data-tone="danger">
          <Icon name="lock" />
          <div>
            <strong>{text.account.lockedBecause(account.lockedReason ?? '')}</strong>
          </div>
        </div>
      )}
      <Facts account={account} />
      <Members members={account.members} />
      <Transfers transfers={account.transfers} />
      <section className="section" aria-labelledby="changes">
        <div className="section-head">
          <h2 id="changes">{text.account.audit}</h2>
        </div>
        <AuditTable entries={account.audit} withAccount={false} />
      </section>
      {(open === 'grant' || open === 'adjust') && <MoveDialog kind={open} account={account} onClose={close} />}
      {open === 'lock' && <LockDialog account={account} onClose={close} />}
      {open === 'limits' && <LimitsDialog account={account} onClose={close} />}
    </>
  );
}

function Facts({ account }: { account: DeskAccountDetail }) {
  const text = useDeskText();
  const format = useFormat();
  const facts: readonly (readonly [string, string])[] = [
    [text.accounts.available, format.number(account.available)],
    [text.accounts.held, format.number(account.held)],
    [text.account.running, format.number(account.runLimit)],
    [text.account.raised, account.raisedLimit === null ? '–' : format.number(account.raisedLimit)],
    [text.account.rate, format.number(account.rateLimit)],
    [text.account.created, format.day(account.createdAt)],
  ];
  return (
    <dl className="figures section">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className="figure">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Members({ members }: { members: DeskAccountDetail['members'] }) {
  const { roles } = useText();
  const text = useDeskText().account;
  return (
    <section className="section" aria-labelledby="members">
      <div className="section-head">
        <h2 id="members">{text.members}</h2>
      </div>
      {members.length === 0 ? (
        <p className="quiet">{text.noMembers}</p>
      ) : (
        <table className="table" data-density="tight" data-stack="lines">
          <tbody>
            {members.map(({ personId, name, email, role }) => (
              <tr key={personId}>
                <th scope="row">{name}</th>
                <td data-wide>{email}</td>
                <td>{roles[role]}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Transfers({ transfers }: { transfers: DeskAccountDetail['transfers'] }) {
  const text = useDeskText().account;
  const format = useFormat();
  return (
    <section className="section" aria-labelledby="transfers">
      <div className="section-head">
        <h2 id="transfers">{text.transfers}</h2>
      </div>
      {transfers.length === 0 ? (
        <p className="quiet">{text.noTransfers}</p>
      ) : (
        <table className="table" data-density="tight" data-stack="lines">
          <TableHead columns={[text.kind, text.fromTo, text.by, { number: text.amount }, { number: text.at }]} />
          <tbody>
            {transfers.map((transfer) => (
              <tr key={transfer.id}>
                <th scope="row">{transfer.kind}</th>
                <td>
                  {transfer.debit} → {transfer.credit}
                </td>
                <td data-wide className="message">
                  {transfer.reason ?? <code>{transfer.generationId}</code>}
                </td>
                <td className="number">{format.number(transfer.amount)}</td>
                <td className="number nowrap">{format.moment(transfer.createdAt)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
