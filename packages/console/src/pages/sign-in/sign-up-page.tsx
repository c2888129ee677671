import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { signUp } from '../../api/auth.ts';
import { Gate } from '../../app/gate.tsx';
import { TextField } from '../../parts/field.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { useText } from '../../text/use-text.ts';
import { invitationPath } from './invitation-page.tsx';
import { MailSent } from './mail-sent.tsx';
import { MIN_PASSWORD_LENGTH } from './password-rules.ts';
import { signInOptionsQuery } from './sign-in-options.ts';

const route = getRouteApi('/sign-up');

export function SignUpPage() {
  const text = useText();
  const { next, invitation } = route.useSearch();
  const navigate = useNavigate();
  /** Where to go after the sign-in. Someone who has an account accepts the invitation there. */
  const signInNext = invitation === undefined ? next : invitationPath(invitation);
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const create = useMutation({
    mutationFn: () => signUp({ name, email, password, ...(invitation === undefined ? {} : { invitation }) }),
    onSuccess({ user }) {
      if (user?.emailVerified === true) void navigate({ to: '/sign-in', search: next === undefined ? {} : { next } });
    },
  });
  const needsInvitation = useQuery(signInOptionsQuery).data?.signUp === 'invited' && invitation === undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  if (create.isSuccess) return <MailSent kind="verify" email={email} />;
  if (needsInvitation) {
    return (
      <Gate title={text.auth.signUp.title} description={text.auth.signIn.byInvitation}>
        <Link className="button" to="/sign-in">
          {text.auth.sent.back}
        </Link>
      </Gate>
    );
  }
  return (
    <Gate
      title={text.auth.signUp.title}
      description={invitation === undefined ? undefined : text.auth.invitation.hint}
      foot={
        <>
          {text.auth.signUp.haveAccount}{' '}
          <Link to="/sign-in" search={signInNext === undefined ? {} : { next: signInNext }}>
            {text.auth.signUp.signIn}
          </Link>
        </>
      }
    >
      <form className="stack" onSubmit={submit}>
        <TextField
          label={text.auth.name}
          name="name"
          autoComplete="name"
          maxLength={100}
          required
          autoFocus
          text={name}
          onText={setName}
        />
        <TextField
          label={text.auth.email}
          type="email"
          name="email"
          autoComplete="username"
          required
          text={email}
          onText={setEmail}
        />
        <TextField
          label={text.auth.password}
          hint={text.auth.passwordHint}
          type="password"
          name="password"
          autoComplete="new-password"
          minLength={MIN_PASSWORD_LENGTH}
          maxLength={128}
          required
          text={password}
          onText={setPassword}
        />
        {create.error !== null && <ProblemNotice error={create.error} />}
        <button className="button" data-kind="primary" type="submit" disabled={create.isPending}>
          {create.isPending ? text.actions.working : text.auth.signUp.action}
        </button>
      </form>
    </Gate>
  );
}
