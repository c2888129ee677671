import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { signOut } from '../../api/auth.ts';
import { request } from '../../api/request.ts';
import { sessionQuery } from '../../api/session.ts';
import { Gate } from '../../app/gate.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { useText } from '../../text/use-text.ts';

const route = getRouteApi('/invitation');

/** The page of an invitation: a signed-in person accepts it, others sign in or sign up first. */
export function InvitationPage() {
  const text = useText();
  const { token } = route.useSearch();
  const session = useQuery({ ...sessionQuery, retry: false });
  if (token === undefined) {
    return <Gate title={text.auth.verified.failedTitle} description={text.auth.invitation.incomplete} />;
  }
  if (session.isPending) return <Gate title={text.auth.invitation.title} description={text.loading} />;
  if (session.data !== undefined) return <AcceptInvitation token={token} email={session.data.person.email} />;
  return (
    <Gate title={text.auth.invitation.title} description={text.auth.invitation.hint}>
      <Link className="button" data-kind="primary" to="/sign-up" search={{ invitation: token }}>
        {text.auth.invitation.action}
      </Link>
      <Link className="button" to="/sign-in" search={{ next: invitationPath(token) }}>
        {text.auth.invitation.signIn}
      </Link>
    </Gate>
  );
}

export const invitationPath = (token: string): string => `/invitation?${new URLSearchParams({ token })}`;

function AcceptInvitation({ token, email }: { token: string; email: string }) {
  const text = useText().auth.invitation;
  const queries = useQueryClient();
  const navigate = useNavigate();
  const accept = useMutation({
    mutationFn: () => request('POST /api/invitations/accept', { body: { token } }),
    async onSuccess({ accountId }) {
      queries.removeQueries({ queryKey: sessionQuery.queryKey });
      await navigate({ to: '/accounts/$accountId/keys', params: { accountId } });
    },
  });
  const leave = async () => {
    await signOut();
    queries.clear();
    await navigate({ to: '/sign-in', search: { next: invitationPath(token) } });
  };
  return (
    <Gate title={text.title} description={text.acceptAs(email)}>
      {accept.error !== null && <ProblemNotice error={accept.error} />}
      <button
        className="button"
        data-kind="primary"
        type="button"
        disabled={accept.isPending}
        onClick={() => accept.mutate()}
      >
        {text.accept}
      </button>
      <button className="button" type="button" onClick={() => void leave()}>
        {text.otherPerson}
      </button>
    </Gate>
  );
}
