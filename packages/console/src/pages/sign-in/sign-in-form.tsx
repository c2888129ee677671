import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { AuthError, canUsePasskeys, signIn, signInWithPasskey } from '../../api/auth.ts';
import { TextField } from '../../parts/field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { useText } from '../../text/use-text.ts';
import { TotpStep } from './totp-step.tsx';

export interface SignInFormOptions {
  /** Where the person wanted to go. */
  readonly next: string | undefined;
  /** What stands around the form until a code is asked for. */
  readonly frame: (form: ReactNode) => ReactNode;
  /** Beside the password. */
  readonly forgot?: ReactNode;
  /** Another way to sign in, below the passkey. */
  readonly other?: ReactNode;
  /** False where passkeys are not accepted. */
  readonly passkeys?: boolean;
  readonly onUnverified?: (email: string) => Promise<unknown>;
}

/** Mail address and password, then a code if the person has turned codes on; or a passkey. */
export function SignInForm({ next, frame, forgot, other, passkeys = true, onUnverified }: SignInFormOptions) {
  const offersPasskeys = passkeys && canUsePasskeys();
  const text = useText();
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
        if (error instanceof AuthError && error.code === 'EMAIL_NOT_VERIFIED') await onUnverified?.(email);
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
  return frame(
    <>
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
          value={forgot}
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
      {(offersPasskeys || other !== undefined) && <div className="or">{text.auth.signIn.or}</div>}
      {offersPasskeys && (
        <button className="button" type="button" disabled={byPasskey.isPending} onClick={() => byPasskey.mutate()}>
          <Icon name="key" />
          {text.auth.signIn.passkey}
        </button>
      )}
      {other}
    </>,
  );
}
