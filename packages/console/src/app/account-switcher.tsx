import type { Mode } from '@atelier/contract/console';
import { useNavigate } from '@tanstack/react-router';
import { useId, useRef } from 'react';
import { type CurrentAccount, useSession } from '../api/session.ts';
import { Icon } from '../parts/icon.tsx';
import { Segmented } from '../parts/segmented.tsx';
import { useText } from '../text/use-text.ts';

/** The accounts of the person, and the toggle between live and test: both only change the account in the address. */
export function AccountSwitcher({ account }: { account: CurrentAccount }) {
  const text = useText();
  const session = useSession();
  const navigate = useNavigate();
  const id = useId();
  const menu = useRef<HTMLDivElement>(null);
  const open = (accountId: string) => {
    menu.current?.hidePopover();
    void navigate({ to: '/accounts/$accountId/keys', params: { accountId } });
  };
  return (
    <div className="account">
      <button className="account-name" type="button" popoverTarget={id} title={text.shell.switchAccount}>
        {account.membership.name}
        <Icon name="updown" />
      </button>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would bring the style of a form */}
      <div className="menu" id={id} ref={menu} popover="auto" role="group" aria-label={text.shell.switchAccount}>
        {session.memberships.map((membership) => (
          <button
            key={membership.pairId}
            type="button"
            aria-current={membership.pairId === account.membership.pairId}
            onClick={() => open(membership.accountIds[account.mode])}
          >
            <Icon name={membership.pairId === account.membership.pairId ? 'check' : 'switch'} />
            <span>{membership.name}</span>
            <span className="count">{text.roles[membership.role]}</span>
          </button>
        ))}
      </div>
      <Segmented<Mode>
        label={text.shell.mode}
        choice={account.mode}
        choices={[
          { value: 'live', label: text.shell.live },
          { value: 'test', label: text.shell.test },
        ]}
        onChoice={(mode) => open(account.membership.accountIds[mode])}
      />
    </div>
  );
}
