import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { canUsePasskeys, signIn, signInWithPasskey, verifyTotp } from '../api/auth.ts';
import { setReauthenticate } from '../api/reauthenticate.ts';
import { sessionQuery } from '../api/session.ts';
import { Dialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/field.tsx';
import { ProblemNotice } from '../parts/problem-notice.tsx';
import { useText } from '../text/use-text.ts';

type Answer = (done: boolean) => void;

/** Opens a dialog when an operation needs a recent sign-in. The operation goes on after it. */
export function Reauthentication({ passkeys }: { passkeys: boolean }) {
  const [answer, setAnswer] = useState<{ readonly give: Answer } | null>(null);
  useEffect(() => {
    setReauthenticate(() => new Promise((give) => setAnswer({ give })));
    return () => setReauthenticate(async () => false);
  }, []);
  if (answer === null) return null;
  const close = (done: boolean) => {
    setAnswer(null);
    answer.give(done);
  };
  return <ReauthenticationDialog passkeys={passkeys && canUsePasskeys()} onDone={close} />;
}

function ReauthenticationDialog({ passkeys, onDone }: { passkeys: boolean; onDone: Answer }) {
  const text = useText();
  const queries = useQueryClient();
  const [password, setPassword] = useState('');
  const [code, setCode] = useState<string | null>(null);
  const email = queries.getQueryData(sessionQuery.queryKey)?.person.email ?? '';
  const finish = async () => {
    await queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
    onDone(true);
  };
  const confirm = useMutation({
    async mutationFn() {
      if (code === null) {
        const { twoFactorRedirect } = await signIn({ email, password });
        if (twoFactorRedirect === true) return setCode('');
      } else {
        await verifyTotp(code.replaceAll(' ', ''));
      }
      await finish();
    },
  });
  const passkey = useMutation({ mutationFn: () => signInWithPasskey().then(finish) });
  const error = confirm.error ?? passkey.error;
  return (
    <Dialog
      title={text.auth.again.title}
      description={text.auth.again.description}
      action={text.auth.again.action}
      busy={confirm.isPending}
      onSubmit={() => confirm.mutate()}
      onClose={() => onDone(false)}
    >
      {code === null ? (
        <TextField
          label={text.auth.password}
          type="password"
          autoComplete="current-password"
          autoFocus
          required
          text={password}
          onText={setPassword}
        />
      ) : (
        <TextField
          label={text.auth.totp.code}
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          text={code}
          onText={setCode}
        />
      )}
      {passkeys && (
        <div className="actions">
          <button className="button" type="button" onClick={() => passkey.mutate()}>
            {text.auth.again.passkey}
          </button>
        </div>
      )}
      {error !== null && <ProblemNotice error={error} />}
    </Dialog>
  );
}
