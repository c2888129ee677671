import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { canUsePasskeys, signIn, signInWithPasskey } from '../api/auth.ts';
import { Gate } from '../app/gate.tsx';
import { TotpStep } from '../pages/sign-in/totp-step.tsx';
import { TextField } from '../parts/field.tsx';
import { ProblemNotice } from '../parts/problem-notice.tsx';
import { useText } from '../text/use-text.ts';
import { useDeskText } from './use-desk-text.ts';

export function DeskSignIn() {
  const text = useText();
  const { gate } = useDeskText();
  const { next } = useSearch({ strict: false }) as { next?: string };
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
      const { twoFactorRedirect } = await signIn({ email, password });
      if (twoFactorRedirect === true) setNeedsCode(true);
      else await enter();
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
    <Gate title={gate.title} description={gate.description}>
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
          type="password"
          name="password"
          autoComplete="current-password"
          required
          text={password}
          onText={setPassword}
        />
        {error !== null && <ProblemNotice error={error} />}
        <button className="button" data-kind="primary" type="submit" disabled={byPassword.isPending}>
          {text.auth.signIn.action}
        </button>
      </form>
      {canUsePasskeys() && (
        <button className="button" type="button" onClick={() => byPasskey.mutate()}>
          {text.auth.signIn.passkey}
        </button>
      )}
    </Gate>
  );
}
