import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { verifyBackupCode, verifyTotp } from '../../api/auth.ts';
import { Gate } from '../../app/gate.tsx';
import { TextField } from '../../parts/field.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { useText } from '../../text/use-text.ts';

/** The second step of a sign-in: a code of the authenticator app, or a backup code. */
export function TotpStep({ onDone }: { onDone(): void }) {
  const text = useText();
  const [code, setCode] = useState('');
  const [isBackup, setIsBackup] = useState(false);
  const verify = useMutation({
    mutationFn: () => (isBackup ? verifyBackupCode(code.trim()) : verifyTotp(code.replaceAll(' ', ''))),
    onSuccess: onDone,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    verify.mutate();
  };
  const change = () => {
    setIsBackup(!isBackup);
    setCode('');
    verify.reset();
  };
  return (
    <Gate title={text.auth.totp.title} description={isBackup ? undefined : text.auth.totp.hint}>
      <form className="stack" onSubmit={submit}>
        <TextField
          key={String(isBackup)}
          label={isBackup ? text.auth.totp.backup : text.auth.totp.code}
          inputMode={isBackup ? 'text' : 'numeric'}
          autoComplete="one-time-code"
          required
          autoFocus
          text={code}
          onText={setCode}
        />
        {verify.error !== null && <ProblemNotice error={verify.error} />}
        <button className="button" data-kind="primary" type="submit" disabled={verify.isPending}>
          {text.auth.totp.action}
        </button>
      </form>
      <button className="button" data-kind="plain" type="button" onClick={change}>
        {isBackup ? text.auth.totp.useApp : text.auth.totp.useBackup}
      </button>
    </Gate>
  );
}
