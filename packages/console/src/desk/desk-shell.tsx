import { Outlet, useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { PersonMenu } from '../app/person-menu.tsx';
import { SIDEBAR_ID } from '../app/sidebar.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';
import { useText } from '../text/use-text.ts';
import { DeskLink } from './desk-link.tsx';
import { useDeskText } from './use-desk-text.ts';

/** The frame of every page of the desk. */
export function DeskShell() {
  const text = useText();
  const { badge } = useDeskText();
  return (
    <>
      <a className="skip" href="#main">
        {text.shell.skip}
      </a>
      <div className="shell" data-desk>
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
          <Brand />
          <span className="badge">{badge}</span>
        </header>
        <Sidebar />
        <div className="page">
          <main className="main" id="main" tabIndex={-1}>
            <div className="content">
              <Outlet />
            </div>
          </main>
        </div>
      </div>
    </>
  );
}

function Brand() {
  return (
    <DeskLink className="brand" to="/">
      <Icon name="mark" />
      <span>Atelier</span>
    </DeskLink>
  );
}

type Entry = readonly [to: string, icon: IconName, label: string];

function Sidebar() {
  const text = useText();
  const { badge, nav } = useDeskText();
  const ref = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  // On a phone the sidebar is a popover: it closes when its link has led somewhere.
  useEffect(() => {
    if (pathname !== '' && ref.current?.matches(':popover-open')) ref.current.hidePopover();
  }, [pathname]);
  return (
    <aside className="sidebar" id={SIDEBAR_ID} ref={ref} aria-label={text.shell.navigation} popover="auto">
      <div className="sidebar-content">
        <DeskLink className="brand" to="/">
          <Icon name="mark" />
          <span>Atelier</span>
          <small>{badge}</small>
        </DeskLink>
        <Section
          title={nav.work}
          entries={[
            ['/', 'pulse', nav.overview],
            ['/failures', 'warning', nav.failures],
            ['/search', 'search', nav.search],
          ]}
        />
        <Section
          title={nav.business}
          entries={[
            ['/accounts', 'people', nav.accounts],
            ['/models', 'tag', nav.models],
            ['/books', 'coin', nav.books],
          ]}
        />
        <Section
          title={nav.system}
          entries={[
            ['/switches', 'switch', nav.switches],
            ['/audit', 'list', nav.audit],
          ]}
        />
        <div className="sidebar-foot">
          <PersonMenu />
        </div>
      </div>
    </aside>
  );
}

function Section({ title, entries }: { title: string; entries: readonly Entry[] }) {
  return (
    <nav className="nav" aria-label={title}>
      <h2>{title}</h2>
      {entries.map(([to, icon, label]) => (
        <DeskLink key={to} to={to}>
          <Icon name={icon} />
          <span>{label}</span>
        </DeskLink>
      ))}
    </nav>
  );
}
