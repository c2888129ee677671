import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { requestReset, sendVerification } from '../../api/auth.ts';
import { Gate } from '../../app/gate.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { useText } from '../../text/use-text.ts';

export function MailSent({ kind, email }: { kind: 'verify' | 'reset'; email: string }) {
  const text = useText();
  const again = useMutation({ mutationFn: () => (kind === 'verify' ? sendVerification(email) : requestReset(email)) });
  return (
    <Gate
      title={text.auth.sent.title}
      description={text.auth.sent[kind](email)}
      foot={<Link to="/sign-in">{text.auth.sent.back}</Link>}
    >
      {again.error !== null && <ProblemNotice error={again.error} />}
      <button className="button" type="button" disabled={again.isPending} onClick={() => again.mutate()}>
        {again.isSuccess ? text.auth.sent.sentAgain : text.auth.sent.again}
      </button>
    </Gate>
  );
}
