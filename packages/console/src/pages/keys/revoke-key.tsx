import type { ConsoleKey } from '@atelier/contract/console';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { request } from '../../api/request.ts';
import { useAccount } from '../../api/session.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useFormat } from '../../parts/use-format.ts';
import { useText } from '../../text/use-text.ts';
import { keysQuery } from './keys-queries.ts';

/** Revoking stops programs, so the name must be typed. */
export function RevokeKey({ apiKey, onClose }: { apiKey: ConsoleKey; onClose(): void }) {
  const text = useText().keys.revokeForm;
  const format = useFormat();
  const toast = useToast();
  const { id: accountId } = useAccount();
  const queries = useQueryClient();
  const [typed, setTyped] = useState('');
  const revoke = useMutation({
    mutationFn: () =>
      request('POST /api/accounts/{accountId}/keys/{keyId}/revoke', { params: { accountId, keyId: apiKey.id } }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: keysQuery(accountId).queryKey });
      toast(text.done(apiKey.name));
      onClose();
    },
  });
  return (
    <Dialog
      title={text.title(apiKey.name)}
      description={
        <>
          {apiKey.lastUsedAt === null ? text.unused : text.used(format.near(apiKey.lastUsedAt))}
          {text.hint}
        </>
      }
      cancel={text.keep}
      action={text.action}
      actionKind="danger"
      actionDisabled={typed.trim() !== apiKey.name.trim()}
      busy={revoke.isPending}
      onSubmit={() => revoke.mutate()}
      onClose={onClose}
    >
      <TextField
        label={text.confirm}
        placeholder={apiKey.name}
        autoComplete="off"
        autoFocus
        text={typed}
        onText={setTyped}
      />
      {revoke.error !== null && <ProblemNotice error={revoke.error} />}
    </Dialog>
  );
}
