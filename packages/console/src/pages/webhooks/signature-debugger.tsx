import type { ExplainedSignature } from '@atelier/contract/console';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { request } from '../../api/request.ts';
import { useAccount } from '../../api/session.ts';
import { AreaField, TextField } from '../../parts/field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { useText } from '../../text/use-text.ts';

/** Says why a receiver refuses a signature, from what it received. */
export function SignatureDebugger({ endpointId }: { endpointId: string }) {
  const text = useText().webhooks.debugger;
  const { id: accountId, canBuild } = useAccount();
  const [header, setHeader] = useState('');
  const [body, setBody] = useState('');
  const explain = useMutation({
    mutationFn: () =>
      request('POST /api/accounts/{accountId}/webhooks/{endpointId}/explain-signature', {
        params: { accountId, endpointId },
        body: { header, body },
      }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    explain.mutate();
  };
  return (
    <div className="section">
      <p className="quiet">{text.hint}</p>
      <div className="columns section" data-split="even">
        <form className="stack" onSubmit={submit}>
          <TextField
            label={text.header}
            className="mono"
            placeholder="t=1767609062,v1=9e167314…"
            maxLength={2048}
            spellCheck={false}
            required
            text={header}
            onText={setHeader}
          />
          <AreaField
            label={text.body}
            className="mono"
            rows={8}
            maxLength={200_000}
            spellCheck={false}
            required
            text={body}
            onText={setBody}
          />
          <div className="actions">
            <button className="button" data-kind="primary" type="submit" disabled={explain.isPending || !canBuild}>
              {text.action}
            </button>
          </div>
        </form>
        <div className="stack" aria-live="polite">
          {explain.error !== null && <ProblemNotice error={explain.error} />}
          {explain.data !== undefined && <Explanation explained={explain.data} />}
        </div>
      </div>
    </div>
  );
}

function Explanation({ explained }: { explained: ExplainedSignature }) {
  const text = useText().webhooks.debugger;
  const isRight = explained.verdict === 'ok';
  return (
    <>
      <div className="notice" data-tone={isRight ? 'success' : 'danger'}>
        <Icon name={isRight ? 'succeeded' : 'failed'} />
        <div>
          <strong>{text.verdicts[explained.verdict]}</strong>
          <p>{explained.sentence}</p>
        </div>
      </div>
      {explained.findings.length > 1 && (
        <ol className="trail">
          {explained.findings.map(({ verdict, sentence }) => (
            <li data-tone="danger" key={verdict}>
              <Icon name="failed" />
              <span>{text.verdicts[verdict]}</span>
              <span className="detail">{sentence}</span>
            </li>
          ))}
        </ol>
      )}
      <p className="quiet small">
        {explained.comparedWith === null ? text.notCompared : text.compared(explained.comparedWith.n)}
      </p>
    </>
  );
}
