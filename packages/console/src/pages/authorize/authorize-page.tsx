import { SCOPES, type Scope } from '@atelier/contract';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { request } from '../../api/request.ts';
import { Gate } from '../../app/gate.tsx';
import { useBuildAccounts } from '../../app/use-build-accounts.ts';
import { CheckList, SelectField, TextField } from '../../parts/field.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { readCoins } from '../../parts/read-coins.ts';
import { useText } from '../../text/use-text.ts';
import { type AccessRequest, readAccessRequest, refusalUrl } from './access-request.ts';

const USUAL_CAP = '1000';
const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** Where a program sends a person who should give it access to an account: an agent that knows only the address of the service. */
export function AuthorizePage() {
  const text = useText().authorize;
  const [asked] = useState(() => readAccessRequest(window.location.search));
  if (asked === null) return <Gate title={text.invalid} description={text.invalidHint} />;
  return <Consent asked={asked} />;
}

function Consent({ asked }: { asked: AccessRequest }) {
  const { authorize: text, loading } = useText();
  const { clientId, redirectUri } = asked;
  const program = useQuery({
    queryKey: ['program', clientId, redirectUri],
    queryFn: () => request('GET /api/programs', { query: { clientId, redirectUri } }),
    retry: false,
  });
  if (program.isPending) return <Gate title={text.pending} description={loading} />;
  if (program.error !== null) {
    return (
      <Gate title={text.invalid}>
        <ProblemNotice error={program.error} />
      </Gate>
    );
  }
  const { name, destination } = program.data;
  const place = LOOPBACK.has(destination) ? text.thisComputer : destination;
  return (
    <Gate title={text.title(name)} description={text.destination(place)} foot={text.foot}>
      <ConsentForm asked={asked} />
    </Gate>
  );
}

function ConsentForm({ asked }: { asked: AccessRequest }) {
  const { authorize: text, keys } = useText();
  const { choices, first } = useBuildAccounts();
  const [accountId, setAccountId] = useState(first);
  const [scopes, setScopes] = useState<readonly Scope[]>(asked.scopes);
  const [cap, setCap] = useState(USUAL_CAP);
  const [isChecked, setIsChecked] = useState(false);
  const monthlySpendCapCoins = readCoins(cap);
  const allow = useMutation({
    async mutationFn(coins: number | null) {
      const { clientId, redirectUri, codeChallenge, state } = asked;
      const { redirectTo } = await request('POST /api/accounts/{accountId}/authorizations', {
        params: { accountId },
        body: {
          clientId,
          redirectUri,
          codeChallenge,
          scopes: [...scopes],
          monthlySpendCapCoins: coins,
          ...(state === null ? {} : { state }),
        },
      });
      window.location.assign(redirectTo);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsChecked(true);
    if (scopes.length > 0 && monthlySpendCapCoins !== undefined) allow.mutate(monthlySpendCapCoins);
  };
  if (choices.length === 0) return <p>{text.noAccount}</p>;
  return (
    <form className="stack" onSubmit={submit}>
      <SelectField label={text.account} choice={accountId} choices={choices} onChoice={setAccountId} />
      <CheckList
        legend={text.scopes}
        choices={SCOPES.map((value) => ({ value, label: value, hint: keys.form.scopeHints[value] }))}
        chosen={scopes}
        error={isChecked && scopes.length === 0 ? keys.form.needScope : null}
        onChosen={setScopes}
      />
      <TextField
        label={keys.form.cap}
        hint={text.capHint}
        unit={keys.form.coins}
        inputMode="numeric"
        error={isChecked && monthlySpendCapCoins === undefined ? keys.form.badCap : null}
        text={cap}
        onText={setCap}
      />
      {allow.error !== null && <ProblemNotice error={allow.error} />}
      <button className="button" data-kind="primary" type="submit" disabled={allow.isPending || allow.isSuccess}>
        {text.allow}
      </button>
      <button
        className="button"
        type="button"
        onClick={() => window.location.assign(refusalUrl(asked, window.location.origin))}
      >
        {text.refuse}
      </button>
    </form>
  );
}
