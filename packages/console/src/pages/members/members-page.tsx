import type { Member } from '@atelier/contract/console';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAccount } from '../../api/session.ts';
import { Icon } from '../../parts/icon.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useText } from '../../text/use-text.ts';
import { InvitationForm } from './invitation-form.tsx';
import { InvitationSection } from './invitation-section.tsx';
import { membersQuery } from './member-queries.ts';
import { MemberTable } from './member-table.tsx';
import { RemoveMember } from './remove-member.tsx';
import { RoleForm } from './role-form.tsx';

type Open = { kind: 'invite' } | { kind: 'role' | 'remove'; member: Member } | null;

export function MembersPage() {
  const text = useText().members;
  const account = useAccount();
  const query = useQuery(membersQuery(account.id));
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  return (
    <>
      <PageHead
        title={text.title}
        description={text.description(account.membership.name)}
        actions={
          account.isOwner && (
            <button className="button" data-kind="primary" type="button" onClick={() => setOpen({ kind: 'invite' })}>
              <Icon name="plus" />
              {text.invite}
            </button>
          )
        }
      />
      <Loaded query={query}>
        {({ items }) => (
          <MemberTable
            members={items}
            onRole={account.isOwner ? (member) => setOpen({ kind: 'role', member }) : null}
            onRemove={account.isOwner ? (member) => setOpen({ kind: 'remove', member }) : null}
          />
        )}
      </Loaded>
      {account.isOwner ? <InvitationSection /> : <p className="quiet">{text.ownersOnly}</p>}
      {open?.kind === 'invite' && <InvitationForm onClose={close} />}
      {open?.kind === 'role' && <RoleForm member={open.member} onClose={close} />}
      {open?.kind === 'remove' && <RemoveMember member={open.member} onClose={close} />}
    </>
  );
}
