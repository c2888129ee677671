import type { DeskAccountDetail } from '@atelier/contract/desk';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { request } from '../api/request.ts';
import { TextField } from '../parts/field.tsx';
import { useToast } from '../parts/toast.tsx';
import { useFormat } from '../parts/use-format.ts';
import { accountQuery } from './desk-queries.ts';
import { ReasonDialog } from './reason-dialog.tsx';
import { useDeskText } from './use-desk-text.ts';

interface DialogProps {
  readonly account: DeskAccountDetail;
  onClose(): void;
}

const readWhole = (text: string): number | null => (/^-?\d{1,15}$/.test(text.trim()) ? Number(text) : null);

export function MoveDialog({ kind, account, onClose }: DialogProps & { kind: 'grant' | 'adjust' }) {
  const text = useDeskText().account;
  const format = useFormat();
  const toast = useToast();
  const queries = useQueryClient();
  const [coins, setCoins] = useState('');
  const [reference, setReference] = useState('');
  const amount = readWhole(coins);
  const isGrant = kind === 'grant';
  const change = async (reason: string) => {
    const input = {
      params: { accountId: account.id },
      body: { coins: amount ?? 0, reason, ...(reference.trim() === '' ? {} : { reference: reference.trim() }) },
    };
    const moved = isGrant
      ? await request('POST /api/desk/accounts/{accountId}/grant', input)
      : await request('POST /api/desk/accounts/{accountId}/adjust', input);
    await queries.invalidateQueries({ queryKey: accountQuery(account.id).queryKey });
    const left = format.number(moved.available);
    if (moved.repeated) toast(text.repeated, 'danger');
    else toast(isGrant ? text.granted(format.number(amount ?? 0), left) : text.adjusted(left));
  };
  return (
    <ReasonDialog
      title={isGrant ? text.grant : text.adjust}
      description={account.name}
      action={isGrant ? text.grant : text.adjust}
      disabled={amount === null || amount === 0 || (isGrant && amount < 0)}
      change={change}
      onClose={onClose}
    >
      <TextField
        label={text.coins}
        hint={isGrant ? undefined : text.adjustHint}
        inputMode={isGrant ? 'numeric' : 'text'}
        required
        autoFocus
        text={coins}
        onText={setCoins}
      />
      <TextField
        label={text.reference}
        hint={text.referenceHint}
        maxLength={200}
        text={reference}
        onText={setReference}
      />
    </ReasonDialog>
  );
}

export function LockDialog({ account, onClose }: DialogProps) {
  const text = useDeskText().account;
  const toast = useToast();
  const queries = useQueryClient();
  const change = async (reason: string) => {
    const next = await request('POST /api/desk/accounts/{accountId}/lock', {
      params: { accountId: account.id },
      body: { locked: !account.locked, reason },
    });
    queries.setQueryData(accountQuery(account.id).queryKey, next);
    toast(text.saved);
  };
  const action = account.locked ? text.unlock : text.lock;
  return (
    <ReasonDialog
      title={action}
      description={text.lockHint}
      action={action}
      danger={!account.locked}
      change={change}
      onClose={onClose}
    />
  );
}

export function LimitsDialog({ account, onClose }: DialogProps) {
  const text = useDeskText().account;
  const toast = useToast();
  const queries = useQueryClient();
  const [running, setRunning] = useState(String(account.runLimit));
  const [raised, setRaised] = useState(account.raisedLimit === null ? '' : String(account.raisedLimit));
  const [rate, setRate] = useState(String(account.rateLimit));
  const limits = {
    runLimit: readWhole(running),
    raisedLimit: raised.trim() === '' ? null : readWhole(raised),
    rateLimit: readWhole(rate),
  };
  const change = async (reason: string) => {
    const next = await request('PATCH /api/desk/accounts/{accountId}/limits', {
      params: { accountId: account.id },
      body: {
        runLimit: limits.runLimit ?? account.runLimit,
        raisedLimit: limits.raisedLimit,
        rateLimit: limits.rateLimit ?? account.rateLimit,
        reason,
      },
    });
    queries.setQueryData(accountQuery(account.id).queryKey, next);
    toast(text.saved);
  };
  return (
    <ReasonDialog
      title={text.limits}
      description={account.name}
      action={text.limits}
      disabled={limits.runLimit === null || limits.rateLimit === null}
      change={change}
      onClose={onClose}
    >
      <TextField label={text.running} inputMode="numeric" required text={running} onText={setRunning} />
      <TextField label={text.raised} hint={text.raisedHint} inputMode="numeric" text={raised} onText={setRaised} />
      <TextField label={text.rate} inputMode="numeric" required text={rate} onText={setRate} />
    </ReasonDialog>
  );
}
