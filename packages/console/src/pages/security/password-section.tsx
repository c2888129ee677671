import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { changePassword } from '../../api/auth.ts';
import { TextField } from '../../parts/field.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useText } from '../../text/use-text.ts';
import { MIN_PASSWORD_LENGTH } from '../sign-in/password-rules.ts';
import { sessionsQuery } from './security-queries.ts';

export function PasswordSection() {
  const { auth, security } = useText();
  const text = security.password;
  const toast = useToast();
  const queries = useQueryClient();
  const [currentPassword, setCurrent] = useState('');
  const [newPassword, setNew] = useState('');
  const change = useMutation({
    mutationFn: () => changePassword({ currentPassword, newPassword }),
    async onSuccess() {
      setCurrent('');
      setNew('');
      toast(text.changed);
      await queries.invalidateQueries({ queryKey: sessionsQuery.queryKey });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate();
  };
  return (
    <section className="section" aria-labelledby="password">
      <div className="section-head">
        <h2 id="password">{text.title}</h2>
      </div>
      <form className="stack narrow" onSubmit={submit}>
        <TextField
          label={text.current}
          type="password"
          autoComplete="current-password"
          required
          text={currentPassword}
          onText={setCurrent}
        />
        <TextField
          label={auth.newPassword}
          hint={auth.passwordHint}
          type="password"
          autoComplete="new-password"
          minLength={MIN_PASSWORD_LENGTH}
          required
          text={newPassword}
          onText={setNew}
        />
        {change.error !== null && <ProblemNotice error={change.error} />}
        <div className="actions">
          <button className="button" type="submit" disabled={change.isPending}>
            {text.action}
          </button>
        </div>
      </form>
    </section>
  );
}
