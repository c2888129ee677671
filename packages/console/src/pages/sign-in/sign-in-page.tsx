import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { sendVerification } from '../../api/auth.ts';
import { Gate } from '../../app/gate.tsx';
import { Icon } from '../../parts/icon.tsx';
import type { Text } from '../../text/en.ts';
import { useText } from '../../text/use-text.ts';
import { OidcButton } from './oidc-button.tsx';
import { SignInForm } from './sign-in-form.tsx';
import { signInOptionsQuery } from './sign-in-options.ts';

const route = getRouteApi('/sign-in');

/** Why the provider's sign-in ended, by the code in the address. */
function refusalOf({ refusals, refusedHint }: Text['auth']['signIn'], code: string): string {
  return Object.hasOwn(refusals, code) ? (refusals[code] ?? refusedHint) : refusedHint;
}

export function SignInPage() {
  const text = useText();
  const { next, error: refusal } = route.useSearch();
  const options = useQuery(signInOptionsQuery).data;
  return (
    <SignInForm
      next={next}
      forgot={<Link to="/forgot-password">{text.auth.signIn.forgot}</Link>}
      other={options?.oidc === true ? <OidcButton next={next ?? '/'} /> : undefined}
      onUnverified={sendVerification}
      frame={(form) => (
        <Gate
          title={text.auth.signIn.title}
          foot={
            options?.signUp === 'invited' ? (
              text.auth.signIn.byInvitation
            ) : (
              <>
                {text.auth.signIn.noAccount}{' '}
                <Link to="/sign-up" search={next === undefined ? {} : { next }}>
                  {text.auth.signIn.signUp}
                </Link>
              </>
            )
          }
        >
          {refusal !== undefined && (
            <div className="notice" data-tone="danger" role="alert">
              <Icon name="failed" />
              <div>
                <strong>{text.auth.signIn.refused}</strong>
                <p>{refusalOf(text.auth.signIn, refusal)}</p>
              </div>
            </div>
          )}
          {form}
        </Gate>
      )}
    />
  );
}
