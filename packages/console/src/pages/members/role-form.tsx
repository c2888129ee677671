import type { Member } from '@atelier/contract/console';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { request } from '../../api/request.ts';
import { sessionQuery, useAccount } from '../../api/session.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useText } from '../../text/use-text.ts';
import { membersQuery } from './member-queries.ts';
import { RoleField } from './role-field.tsx';

export function RoleForm({ member, onClose }: { member: Member; onClose(): void }) {
  const { members: text, actions, roles } = useText();
  const toast = useToast();
  const queries = useQueryClient();
  const { id: accountId } = useAccount();
  const [role, setRole] = useState(member.role);
  const save = useMutation({
    mutationFn: () =>
      request('PATCH /api/accounts/{accountId}/members/{personId}', {
        params: { accountId, personId: member.personId },
        body: { role },
      }),
    async onSuccess(list) {
      queries.setQueryData(membersQuery(accountId).queryKey, list);
      // An owner can give away their own role: then the pages offer less.
      if (member.isYou) await queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
      toast(text.roleChanged(member.name === '' ? member.email : member.name, roles[role]));
      onClose();
    },
  });
  return (
    <Dialog
      title={text.roleTitle(member.name === '' ? member.email : member.name)}
      action={actions.save}
      actionDisabled={role === member.role}
      busy={save.isPending}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <RoleField role={role} onRole={setRole} />
      {save.error !== null && <ProblemNotice error={save.error} />}
    </Dialog>
  );
}
