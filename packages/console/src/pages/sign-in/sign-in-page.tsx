import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useRouter } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { AuthError, canUsePasskeys, sendVerification, signIn, signInWithPasskey } from '../../api/auth.ts';
import { Gate } from '../../app/gate.tsx';
import { TextField } from '../../parts/field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import type { Text } from '../../text/en.ts';
import { useText } from '../../text/use-text.ts';
import { OidcButton } from './oidc-button.tsx';
import { signInOptionsQuery } from './sign-in-options.ts';
import { TotpStep } from './totp-step.tsx';

const route = getRouteApi('/sign-in');

/** Why the provider's sign-in ended, by the code in the address. */
function refusalOf({ refusals, refusedHint }: Text['auth']['signIn'], code: string): string {
  return Object.hasOwn(refusals, code) ? (refusals[code] ?? refusedHint) : refusedHint;
}

export function SignInPage() {
  const text = useText();
  const { next, error: refusal } = route.useSearch();
  const options = useQuery(signInOptionsQuery).data;
  const router = useRouter();
  const queries = useQueryClient();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [needsCode, setNeedsCode] = useState(false);
  const enter = async () => {
    queries.clear();
    router.history.push(next ?? '/');
  };
  const byPassword = useMutation({
    async mutationFn() {
      try {
        const { twoFactorRedirect } = await signIn({ email, password });
        if (twoFactorRedirect === true) setNeedsCode(true);
        else await enter();
      } catch (error) {
        if (error instanceof AuthError && error.code === 'EMAIL_NOT_VERIFIED') await sendVerification(email);
        throw error;
      }
    },
  });
  const byPasskey = useMutation({ mutationFn: () => signInWithPasskey().then(enter) });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    byPassword.mutate();
  };
  const error = byPassword.error ?? byPasskey.error;
  if (needsCode) return <TotpStep onDone={() => void enter()} />;
  return (
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
      <form className="stack" onSubmit={submit}>
        <TextField
          label={text.auth.email}
          type="email"
          name="email"
          autoComplete="username webauthn"
          required
          autoFocus
          text={email}
          onText={setEmail}
        />
        <TextField
          label={text.auth.password}
          value={<Link to="/forgot-password">{text.auth.signIn.forgot}</Link>}
          type="password"
          name="password"
          autoComplete="current-password"
          required
          text={password}
          onText={setPassword}
        />
        {error !== null && <ProblemNotice error={error} />}
        <button className="button" data-kind="primary" type="submit" disabled={byPassword.isPending}>
          {byPassword.isPending ? text.actions.working : text.auth.signIn.action}
        </button>
      </form>
      {(canUsePasskeys() || options?.oidc === true) && <div className="or">{text.auth.signIn.or}</div>}
      {canUsePasskeys() && (
        <button className="button" type="button" disabled={byPasskey.isPending} onClick={() => byPasskey.mutate()}>
          <Icon name="key" />
          {text.auth.signIn.passkey}
        </button>
      )}
      <OidcButton next={next ?? '/'} />
    </Gate>
  );
}
