import type { Pairing } from '@atelier/contract/console';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiProblem } from '../../api/problem.ts';
import { request } from '../../api/request.ts';
import { Gate } from '../../app/gate.tsx';
import { TextField } from '../../parts/field.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { useText } from '../../text/use-text.ts';
import { PairingReview } from './pairing-review.tsx';

/**
 * Gives a device its API key. The code is typed and not part of a link: whoever sends a link cannot have their own device
 * approved with one click.
 */
export function PairPage() {
  const [pairing, setPairing] = useState<Pairing | null>(null);
  const [decision, setDecision] = useState<'approved' | 'denied' | null>(null);
  const text = useText().pair;
  if (decision !== null) {
    return (
      <Gate title={text[decision].title} description={text[decision].hint}>
        <Link className="button" to="/">
          {text.home}
        </Link>
      </Gate>
    );
  }
  if (pairing === null) return <EnterCode onFound={setPairing} />;
  return <PairingReview pairing={pairing} onDecided={setDecision} />;
}

function EnterCode({ onFound }: { onFound(pairing: Pairing): void }) {
  const text = useText().pair;
  const [code, setCode] = useState('');
  const [isMissing, setMissing] = useState(false);
  const find = useMutation({
    mutationFn: (userCode: string) => request('POST /api/pairings/find', { body: { userCode } }),
    onSuccess: onFound,
  });
  const isWrong = find.error instanceof ApiProblem && find.error.code === 'not_found';
  const submit = () => {
    const isCode = code.replaceAll(/[^A-Za-z]/g, '').length === 8;
    setMissing(!isCode);
    if (isCode) find.mutate(code.trim());
  };
  return (
    <Gate title={text.title} description={text.hint}>
      <form
        className="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <TextField
          label={text.code}
          placeholder="BCDF-GHJK"
          maxLength={20}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          autoFocus
          error={isMissing ? text.needCode : isWrong ? text.wrongCode : null}
          text={code}
          onText={setCode}
        />
        {find.error !== null && !isWrong && <ProblemNotice error={find.error} />}
        <button className="button" data-kind="primary" type="submit" disabled={find.isPending}>
          {text.next}
        </button>
      </form>
    </Gate>
  );
}
