import { Link, Outlet } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useAccount } from '../api/session.ts';
import { Icon } from '../parts/icon.tsx';
import { useText } from '../text/use-text.ts';
import { keepLastAccount } from './last-account.ts';
import { BalanceInTopbar, SIDEBAR_ID, Sidebar } from './sidebar.tsx';

/** The frame of every page of an account. */
export function Shell() {
  const text = useText();
  const account = useAccount();
  useEffect(() => keepLastAccount(account.id), [account.id]);
  return (
    <>
      <a className="skip" href="#main">
        {text.shell.skip}
      </a>
      <div className="shell">
        <header className="topbar">
          <button
            className="button"
            data-kind="plain"
            data-shape="icon"
            type="button"
            popoverTarget={SIDEBAR_ID}
            aria-label={text.shell.menu}
          >
            <Icon name="menu" />
          </button>
          <Link className="brand" to="/">
            <Icon name="mark" />
            <span>Atelier</span>
          </Link>
          <BalanceInTopbar />
        </header>
        <Sidebar />
        <div className="page">
          {account.mode === 'test' && <div className="test-bar">{text.shell.testBar}</div>}
          <main className="main" id="main" tabIndex={-1}>
            <div className="content" key={account.id}>
              <Outlet />
            </div>
          </main>
        </div>
      </div>
    </>
  );
}
