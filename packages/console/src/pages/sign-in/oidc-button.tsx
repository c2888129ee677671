import { useMutation, useQuery } from '@tanstack/react-query';
import { startOidc } from '../../api/auth.ts';
import { Icon } from '../../parts/icon.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { useText } from '../../text/use-text.ts';
import { signInOptionsQuery } from './sign-in-options.ts';

/** Leads to the provider of the operator, and back to `next`. Nothing if there is none. */
export function OidcButton({ next }: { next: string }) {
  const text = useText().auth.signIn;
  const hasOidc = useQuery(signInOptionsQuery).data?.oidc === true;
  const start = useMutation({
    mutationFn: () => startOidc(next),
    onSuccess: ({ url }) => window.location.assign(url),
  });
  if (!hasOidc) return null;
  return (
    <>
      {start.error !== null && <ProblemNotice error={start.error} />}
      <button
        className="button"
        type="button"
        disabled={start.isPending || start.isSuccess}
        onClick={() => start.mutate()}
      >
        <Icon name="out" />
        {text.oidc}
      </button>
    </>
  );
}
