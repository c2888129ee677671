import { useMutation } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { requestReset, resetPassword } from '../../api/auth.ts';
import { Gate } from '../../app/gate.tsx';
import { TextField } from '../../parts/field.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useText } from '../../text/use-text.ts';
import { MailSent } from './mail-sent.tsx';
import { MIN_PASSWORD_LENGTH } from './password-rules.ts';

export function ForgotPasswordPage() {
  const text = useText();
  const [email, setEmail] = useState('');
  const ask = useMutation({ mutationFn: () => requestReset(email) });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    ask.mutate();
  };
  if (ask.isSuccess) return <MailSent kind="reset" email={email} />;
  return (
    <Gate
      title={text.auth.forgot.title}
      description={text.auth.forgot.hint}
      foot={<Link to="/sign-in">{text.auth.sent.back}</Link>}
    >
      <form className="stack" onSubmit={submit}>
        <TextField
          label={text.auth.email}
          type="email"
          name="email"
          autoComplete="username"
          required
          autoFocus
          text={email}
          onText={setEmail}
        />
        {ask.error !== null && <ProblemNotice error={ask.error} />}
        <button className="button" data-kind="primary" type="submit" disabled={ask.isPending}>
          {text.auth.forgot.action}
        </button>
      </form>
    </Gate>
  );
}

const route = getRouteApi('/reset-password');

export function ResetPasswordPage() {
  const text = useText();
  const { token } = route.useSearch();
  const navigate = useNavigate();
  const toast = useToast();
  const [newPassword, setNewPassword] = useState('');
  const change = useMutation({
    mutationFn: () => resetPassword({ newPassword, token: token ?? '' }),
    onSuccess() {
      toast(text.auth.reset.done);
      void navigate({ to: '/sign-in' });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate();
  };
  if (token === undefined) {
    return (
      <Gate title={text.auth.verified.failedTitle} description={text.auth.reset.noToken}>
        <Link className="button" to="/forgot-password">
          {text.auth.forgot.title}
        </Link>
      </Gate>
    );
  }
  return (
    <Gate title={text.auth.reset.title}>
      <form className="stack" onSubmit={submit}>
        <TextField
          label={text.auth.newPassword}
          hint={text.auth.passwordHint}
          type="password"
          name="password"
          autoComplete="new-password"
          minLength={MIN_PASSWORD_LENGTH}
          required
          autoFocus
          text={newPassword}
          onText={setNewPassword}
        />
        {change.error !== null && <ProblemNotice error={change.error} />}
        <button className="button" data-kind="primary" type="submit" disabled={change.isPending}>
          {text.auth.reset.action}
        </button>
      </form>
    </Gate>
  );
}
