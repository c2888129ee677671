import type { Pairing } from '@atelier/contract/console';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { request } from '../../api/request.ts';
import { Gate } from '../../app/gate.tsx';
import { useBuildAccounts } from '../../app/use-build-accounts.ts';
import { SelectField, TextField } from '../../parts/field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { readCoins } from '../../parts/read-coins.ts';
import { useFormat } from '../../parts/use-format.ts';
import { useText } from '../../text/use-text.ts';

interface PairingReviewProps {
  readonly pairing: Pairing;
  onDecided(decision: 'approved' | 'denied'): void;
}

/** What the device asks for, and the decision. */
export function PairingReview({ pairing, onDecided }: PairingReviewProps) {
  const { pair: text, keys } = useText();
  const format = useFormat();
  const { choices, first } = useBuildAccounts();
  const [accountId, setAccountId] = useState(first);
  const [cap, setCap] = useState(pairing.monthlySpendCapCoins === null ? '' : String(pairing.monthlySpendCapCoins));
  const [isBadCap, setBadCap] = useState(false);
  const { userCode } = pairing;
  const deny = useMutation({
    mutationFn: () => request('POST /api/pairings/deny', { body: { userCode } }),
    onSuccess: () => onDecided('denied'),
  });
  const approve = useMutation({
    mutationFn: (monthlySpendCapCoins: number | null) =>
      request('POST /api/accounts/{accountId}/pairings/approve', {
        params: { accountId },
        body: { userCode, monthlySpendCapCoins },
      }),
    onSuccess: () => onDecided('approved'),
  });
  const submit = () => {
    const coins = readCoins(cap);
    setBadCap(coins === undefined);
    if (coins !== undefined) approve.mutate(coins);
  };
  const isBusy = deny.isPending || approve.isPending;
  const error = approve.error ?? deny.error;
  return (
    <Gate title={text.reviewTitle} description={text.reviewHint}>
      <form
        className="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <p className="pairing-code">
          <code>{userCode}</code>
        </p>
        <dl className="pairs">
          <dt>{text.device}</dt>
          <dd>{pairing.deviceName}</dd>
          <dt>{text.asked}</dt>
          <dd>{format.near(pairing.createdAt)}</dd>
          <dt>{keys.form.scopes}</dt>
          <dd>
            {pairing.scopes.map((scope) => (
              <p key={scope}>
                <code>{scope}</code> <span className="quiet">{keys.form.scopeHints[scope]}</span>
              </p>
            ))}
          </dd>
        </dl>
        {choices.length === 0 ? (
          <div className="notice" data-tone="warning" role="alert">
            <Icon name="warning" />
            <div>{text.noAccount}</div>
          </div>
        ) : (
          <>
            <SelectField
              label={text.account}
              choice={accountId}
              choices={choices}
              onChoice={(chosen) => setAccountId(chosen)}
            />
            <TextField
              label={keys.form.cap}
              hint={keys.form.capHint}
              unit={keys.form.coins}
              inputMode="numeric"
              error={isBadCap ? keys.form.badCap : null}
              text={cap}
              onText={setCap}
            />
          </>
        )}
        {error !== null && <ProblemNotice error={error} />}
        {choices.length > 0 && (
          <button className="button" data-kind="primary" type="submit" disabled={isBusy}>
            {text.approve}
          </button>
        )}
        <button className="button" type="button" disabled={isBusy} onClick={() => deny.mutate()}>
          {text.deny}
        </button>
      </form>
    </Gate>
  );
}
