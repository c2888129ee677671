import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { request } from '../../api/request.ts';
import { useAccount } from '../../api/session.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useText } from '../../text/use-text.ts';
import { deliveriesKey } from './webhook-queries.ts';

const DAY_MS = 86_400_000;
/** One call sends a limited number again; more calls do the rest, up to this many. */
const MAX_CALLS = 20;

/** A time as a `datetime-local` input holds it: in the zone of the browser, without a zone. */
function toLocal(atMs: number): string {
  const offsetMs = new Date(atMs).getTimezoneOffset() * 60_000;
  return new Date(atMs - offsetMs).toISOString().slice(0, 16);
}

export function RedeliverSince({ endpointId, onClose }: { endpointId: string; onClose(): void }) {
  const text = useText().webhooks.deliveries;
  const toast = useToast();
  const queries = useQueryClient();
  const { id: accountId } = useAccount();
  const [since, setSince] = useState(() => toLocal(Date.now() - DAY_MS));
  const atMs = Date.parse(since);
  const isPast = atMs < Date.now();
  const send = useMutation({
    async mutationFn() {
      const params = { accountId, endpointId };
      const body = { since: new Date(atMs).toISOString() };
      let count = 0;
      for (let call = 0; call < MAX_CALLS; call++) {
        const done = await request('POST /api/accounts/{accountId}/webhooks/{endpointId}/redeliver', {
          params,
          body,
        });
        count += done.redelivered;
        if (!done.more) break;
      }
      return count;
    },
    async onSuccess(count) {
      await queries.invalidateQueries({ queryKey: deliveriesKey({ accountId, endpointId }) });
      toast(text.redelivered(count));
      onClose();
    },
  });
  return (
    <Dialog
      title={text.sinceTitle}
      description={text.sinceHint}
      action={text.sinceAction}
      actionDisabled={!isPast}
      busy={send.isPending}
      onSubmit={() => send.mutate()}
      onClose={onClose}
    >
      <TextField
        label={text.since}
        type="datetime-local"
        error={isPast ? null : text.sinceNeeded}
        text={since}
        onText={setSince}
      />
      {send.error !== null && <ProblemNotice error={send.error} />}
    </Dialog>
  );
}
