import { getRouteApi, Link } from '@tanstack/react-router';
import { Gate } from '../../app/gate.tsx';
import { useText } from '../../text/use-text.ts';

const route = getRouteApi('/verified');

/** Where the link in the mail leads, after the server has checked it. */
export function VerifiedPage() {
  const text = useText().auth.verified;
  const { error } = route.useSearch();
  const failed = error !== undefined;
  return (
    <Gate title={failed ? text.failedTitle : text.title} description={failed ? text.failedHint : text.hint}>
      <Link className="button" data-kind="primary" to={failed ? '/sign-in' : '/'} search={{}}>
        {text.action}
      </Link>
    </Gate>
  );
}
