import { getRouteApi, Link } from '@tanstack/react-router';
import { Gate } from '../../app/gate.tsx';
import { useText } from '../../text/use-text.ts';

const route = getRouteApi('/invitation');

/** Where the link of an invitation leads: a new person signs up with it. */
export function InvitationPage() {
  const text = useText().auth.invitation;
  const { token } = route.useSearch();
  return (
    <Gate title={text.title} description={text.hint}>
      <Link
        className="button"
        data-kind="primary"
        to="/sign-up"
        search={token === undefined ? {} : { invitation: token }}
      >
        {text.action}
      </Link>
    </Gate>
  );
}
