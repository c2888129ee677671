import type { Member } from '@atelier/contract/console';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { request } from '../../api/request.ts';
import { sessionQuery, useAccount } from '../../api/session.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useText } from '../../text/use-text.ts';
import { membersQuery } from './member-queries.ts';

export function RemoveMember({ member, onClose }: { member: Member; onClose(): void }) {
  const text = useText().members;
  const toast = useToast();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { id: accountId, membership } = useAccount();
  const name = member.name === '' ? member.email : member.name;
  const remove = useMutation({
    mutationFn: () =>
      request('DELETE /api/accounts/{accountId}/members/{personId}', {
        params: { accountId, personId: member.personId },
      }),
    async onSuccess(list) {
      toast(text.removed(name));
      onClose();
      if (!member.isYou) {
        queries.setQueryData(membersQuery(accountId).queryKey, list);
        return;
      }
      // The person no longer belongs to this account: the start page leads to another.
      queries.removeQueries({ queryKey: sessionQuery.queryKey });
      await navigate({ to: '/' });
    },
  });
  return (
    <Dialog
      title={member.isYou ? text.leaveTitle(membership.name) : text.removeTitle(name)}
      description={text.removeHint}
      action={member.isYou ? text.leave : text.remove}
      actionKind="danger"
      busy={remove.isPending}
      onSubmit={() => remove.mutate()}
      onClose={onClose}
    >
      {remove.error !== null && <ProblemNotice error={remove.error} />}
    </Dialog>
  );
}
