import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useAccount } from '../api/session.ts';
import { Icon } from '../parts/icon.tsx';
import { useText } from '../text/use-text.ts';
import { keepLastAccount } from './last-account.ts';
import { BalanceInTopbar, SIDEBAR_ID, Sidebar } from './sidebar.tsx';

/** The playground needs the whole width: beside it the navigation is narrow. */
const useIsWide = (): boolean => useLocation({ select: ({ pathname }) => /\/playground\/?$/.test(pathname) });

/** The frame of every page of an account. */
export function Shell() {
  const text = useText();
  const account = useAccount();
  const isWide = useIsWide();
  useEffect(() => keepLastAccount(account.id), [account.id]);
  return (
    <>
      <a className="skip" href="#main">
        {text.shell.skip}
      </a>
      <div className="shell" data-nav={isWide ? 'rail' : undefined}>
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
        <div className="page" data-wide={isWide ? '' : undefined}>
          {account.mode === 'test' && <div className="test-bar">{text.shell.testBar}</div>}
          <main className={isWide ? undefined : 'main'} id="main" tabIndex={-1}>
            {isWide ? (
              <Outlet />
            ) : (
              <div className="content" key={account.id}>
                <Outlet />
              </div>
            )}
          </main>
        </div>
      </div>
    </>
  );
}
