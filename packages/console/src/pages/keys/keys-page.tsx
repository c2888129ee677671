import type { ConsoleKey, CreatedKey } from '@atelier/contract/console';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAccount, useSession } from '../../api/session.ts';
import { Code } from '../../parts/code.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import type { MenuItem } from '../../parts/menu.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useFormat } from '../../parts/use-format.ts';
import { useText } from '../../text/use-text.ts';
import { firstRequest } from '../quickstart/snippets.ts';
import { KeyForm } from './key-form.tsx';
import { keysQuery } from './keys-queries.ts';
import { ActiveKeys, EndedKeys } from './keys-table.tsx';
import { NewKey } from './new-key.tsx';
import { RevokeKey } from './revoke-key.tsx';

type Open = { kind: 'create' } | { kind: 'edit' | 'revoke'; key: ConsoleKey } | null;

export function KeysPage() {
  const text = useText();
  const toast = useToast();
  const account = useAccount();
  const query = useQuery(keysQuery(account.id));
  const [open, setOpen] = useState<Open>(null);
  const [created, setCreated] = useState<CreatedKey | null>(null);
  const close = () => setOpen(null);
  const menuOf = (key: ConsoleKey): readonly MenuItem[] => [
    { label: text.keys.edit, icon: 'settings', onSelect: () => setOpen({ kind: 'edit', key }) },
    {
      label: text.keys.copyId,
      icon: 'copy',
      onSelect: () => void navigator.clipboard.writeText(key.id).then(() => toast(text.actions.copied)),
    },
    { label: text.keys.revoke, icon: 'cross', tone: 'danger', onSelect: () => setOpen({ kind: 'revoke', key }) },
  ];
  return (
    <>
      <PageHead
        title={text.keys.title}
        description={text.keys.description[account.mode](account.membership.name)}
        actions={
          account.canBuild && (
            <button className="button" data-kind="primary" type="button" onClick={() => setOpen({ kind: 'create' })}>
              <Icon name="plus" />
              {text.keys.create}
            </button>
          )
        }
      />
      {created !== null && <NewKey created={created} onDone={() => setCreated(null)} />}
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <NoKeys />
          ) : (
            <KeyLists items={items} newId={created?.key.id ?? null} menuOf={account.canBuild ? menuOf : null} />
          )
        }
      </Loaded>
      {(open?.kind === 'create' || open?.kind === 'edit') && (
        <KeyForm
          editing={open.kind === 'edit' ? open.key : null}
          onCreated={(next) => {
            setCreated(next);
            close();
          }}
          onSaved={() => {
            toast(text.keys.saved);
            close();
          }}
          onClose={close}
        />
      )}
      {open?.kind === 'revoke' && <RevokeKey apiKey={open.key} onClose={close} />}
    </>
  );
}

function KeyLists(props: {
  items: readonly ConsoleKey[];
  newId: string | null;
  menuOf: ((key: ConsoleKey) => readonly MenuItem[]) | null;
}) {
  const text = useText().keys;
  const format = useFormat();
  const [sought, setSought] = useState('');
  const active = props.items.filter(({ status }) => status === 'active');
  const ended = props.items.filter(({ status }) => status !== 'active');
  const found = active.filter(({ name }) => name.toLowerCase().includes(sought.trim().toLowerCase()));
  const spent = active.reduce((sum, key) => sum + key.spentThisMonthCoins, 0);
  return (
    <>
      <section className="section" aria-labelledby="active">
        <div className="section-head">
          <h2 id="active">{text.active}</h2>
          <span className="beside">
            {text.summary(text.count(active.length), format.number(spent), format.monthName())}
          </span>
          <SearchField label={text.find} value={sought} onChange={setSought} />
        </div>
        {found.length === 0 ? (
          <p className="quiet">{text.noMatch}</p>
        ) : (
          <ActiveKeys keys={found} newId={props.newId} menuOf={props.menuOf} />
        )}
      </section>
      {ended.length > 0 && <EndedKeys keys={ended} />}
    </>
  );
}

function NoKeys() {
  const text = useText();
  const { apiUrl } = useSession();
  return (
    <div className="empty">
      <h2>{text.keys.empty.title}</h2>
      <p>{text.keys.empty.hint}</p>
      <Code label={text.snippets.language} samples={firstRequest({ apiUrl, key: null })} />
    </div>
  );
}
