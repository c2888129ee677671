import { useQuery } from '@tanstack/react-query';
import { Link, type LinkProps, useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { type CurrentAccount, useAccount } from '../api/session.ts';
import { Icon, type IconName } from '../parts/icon.tsx';
import { Coins } from '../parts/status.tsx';
import { useFormat } from '../parts/use-format.ts';
import { useText } from '../text/use-text.ts';
import { AccountSwitcher } from './account-switcher.tsx';
import { balanceQuery } from './balance-query.ts';
import { PersonMenu } from './person-menu.tsx';

export const SIDEBAR_ID = 'sidebar';

const useBalance = (accountId: string) => useQuery(balanceQuery(accountId)).data?.balance;

interface Entry {
  readonly to: NonNullable<LinkProps['to']>;
  readonly icon: IconName;
  readonly label: string;
}

function Section({ title, entries, account }: { title: string; entries: readonly Entry[]; account: CurrentAccount }) {
  return (
    <nav className="nav" aria-label={title}>
      <h2>{title}</h2>
      {entries.map(({ to, icon, label }) => (
        <Link
          key={label}
          to={to}
          params={{ accountId: account.id }}
          title={label}
          activeProps={{ 'aria-current': 'page' }}
        >
          <Icon name={icon} />
          <span>{label}</span>
        </Link>
      ))}
    </nav>
  );
}

export function BalanceInTopbar() {
  const balance = useBalance(useAccount().id);
  const format = useFormat();
  return balance === undefined ? null : <Coins>{format.number(balance.available)}</Coins>;
}

export function Sidebar() {
  const text = useText();
  const format = useFormat();
  const account = useAccount();
  const balance = useBalance(account.id);
  const ref = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  // On a phone the sidebar is a popover: it closes when its link has led somewhere.
  useEffect(() => {
    if (pathname !== '' && ref.current?.matches(':popover-open')) ref.current.hidePopover();
  }, [pathname]);
  return (
    <aside className="sidebar" id={SIDEBAR_ID} ref={ref} aria-label={text.shell.navigation} popover="auto">
      <div className="sidebar-content">
        <Link className="brand" to="/">
          <Icon name="mark" />
          <span>Atelier</span>
        </Link>
        <AccountSwitcher account={account} />
        <Section
          title={text.shell.work}
          account={account}
          entries={[
            { to: '/accounts/$accountId/playground', icon: 'brush', label: text.shell.playground },
            { to: '/accounts/$accountId/generations', icon: 'image', label: text.shell.generations },
          ]}
        />
        <Section
          title={text.shell.developers}
          account={account}
          entries={[
            { to: '/accounts/$accountId/quickstart', icon: 'book', label: text.shell.quickstart },
            { to: '/accounts/$accountId/keys', icon: 'key', label: text.shell.keys },
            { to: '/accounts/$accountId/webhooks', icon: 'hook', label: text.shell.webhooks },
            { to: '/accounts/$accountId/events', icon: 'pulse', label: text.shell.events },
          ]}
        />
        <Section
          title={text.shell.money}
          account={account}
          entries={[
            { to: '/accounts/$accountId/usage', icon: 'chart', label: text.shell.usage },
            { to: '/accounts/$accountId/budgets', icon: 'gauge', label: text.shell.budgets },
            { to: '/accounts/$accountId/ledger', icon: 'coin', label: text.shell.ledger },
          ]}
        />
        <Section
          title={text.shell.account}
          account={account}
          entries={[
            { to: '/accounts/$accountId/members', icon: 'people', label: text.shell.members },
            { to: '/accounts/$accountId/settings', icon: 'settings', label: text.shell.settings },
            { to: '/accounts/$accountId/security', icon: 'lock', label: text.shell.security },
          ]}
        />
        <div className="sidebar-foot">
          {balance !== undefined && (
            <div className="balance">
              <span className="quiet">{text.shell.balance}</span>
              <strong>
                <Icon name="coin" />
                {format.number(balance.available)}
              </strong>
              <span className="quiet number">{text.shell.held(format.number(balance.held))}</span>
            </div>
          )}
          <PersonMenu />
        </div>
      </div>
    </aside>
  );
}
