import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { request } from '../../api/request.ts';
import { useAccount } from '../../api/session.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { presentError } from '../../parts/problem-notice.tsx';
import { TableHead } from '../../parts/table-head.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useFormat } from '../../parts/use-format.ts';
import { useText } from '../../text/use-text.ts';
import { invitationsQuery } from './member-queries.ts';

/** The invitations that nobody has accepted yet. */
export function InvitationSection() {
  const whole = useText();
  const text = whole.members;
  const format = useFormat();
  const toast = useToast();
  const queries = useQueryClient();
  const { id: accountId } = useAccount();
  const query = useQuery(invitationsQuery(accountId));
  const revoke = useMutation({
    mutationFn: (invitationId: string) =>
      request('DELETE /api/accounts/{accountId}/invitations/{invitationId}', { params: { accountId, invitationId } }),
    onSuccess: () => toast(text.revoked),
    onError: (error) => toast(presentError(error, whole).title, 'danger'),
    onSettled: () => queries.invalidateQueries({ queryKey: invitationsQuery(accountId).queryKey }),
  });
  return (
    <section className="section" aria-labelledby="invitations">
      <div className="section-head">
        <h2 id="invitations">{text.invitations}</h2>
        <span className="beside">{text.invitationsHint}</span>
      </div>
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="quiet">{text.noInvitations}</p>
          ) : (
            <table className="table" data-stack="lines" data-density="tight">
              <TableHead
                columns={[whole.auth.email, text.columns.role, text.columns.expires]}
                actions={text.columns.actions}
              />
              <tbody>
                {items.map(({ id, email, role, expiresAt }) => (
                  <tr key={id}>
                    <th scope="row">{email}</th>
                    <td data-wide>{whole.roles[role]}</td>
                    <td data-wide title={format.full(expiresAt)}>
                      {format.near(expiresAt)}
                    </td>
                    <td className="act">
                      <button
                        className="button"
                        data-size="small"
                        type="button"
                        aria-label={text.revokeOf(email)}
                        disabled={revoke.isPending}
                        onClick={() => revoke.mutate(id)}
                      >
                        {text.revoke}
                      </button>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )
        }
      </Loaded>
    </section>
  );
}
