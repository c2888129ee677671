import type { Role } from '@atelier/contract/console';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { request } from '../../api/request.ts';
import { useAccount } from '../../api/session.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useText } from '../../text/use-text.ts';
import { invitationsQuery } from './member-queries.ts';
import { RoleField } from './role-field.tsx';

export function InvitationForm({ onClose }: { onClose(): void }) {
  const { members: text, auth } = useText();
  const toast = useToast();
  const queries = useQueryClient();
  const { id: accountId, membership } = useAccount();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('developer');
  const invite = useMutation({
    mutationFn: () =>
      request('POST /api/accounts/{accountId}/invitations', { params: { accountId }, body: { email, role } }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: invitationsQuery(accountId).queryKey });
      toast(text.invited(email.trim()));
      onClose();
    },
  });
  return (
    <Dialog
      title={text.inviteTitle(membership.name)}
      description={text.inviteHint}
      action={text.send}
      busy={invite.isPending}
      onSubmit={() => invite.mutate()}
      onClose={onClose}
    >
      <TextField
        label={auth.email}
        type="email"
        autoComplete="off"
        maxLength={254}
        required
        autoFocus
        text={email}
        onText={setEmail}
      />
      <RoleField role={role} onRole={setRole} />
      {invite.error !== null && <ProblemNotice error={invite.error} />}
    </Dialog>
  );
}
