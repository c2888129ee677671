import type { Endpoint } from '@atelier/contract/console';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { request } from '../../api/request.ts';
import { useAccount } from '../../api/session.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Menu } from '../../parts/menu.tsx';
import { ProblemNotice, presentError } from '../../parts/problem-notice.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useText } from '../../text/use-text.ts';
import { EndpointForm } from './endpoint-form.tsx';
import { deliveriesKey, endpointQuery, endpointsQuery } from './webhook-queries.ts';

/** What can be done with an endpoint. */
export function EndpointActions({ endpoint, onSecret }: { endpoint: Endpoint; onSecret(secret: string): void }) {
  const whole = useText();
  const text = whole.webhooks;
  const toast = useToast();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { id: accountId } = useAccount();
  const [open, setOpen] = useState<'edit' | 'rotate' | 'remove' | null>(null);
  const close = () => setOpen(null);
  const params = { accountId, endpointId: endpoint.id };
  const refresh = () => queries.invalidateQueries({ queryKey: endpointQuery(params).queryKey });
  const onError = (error: unknown) => toast(presentError(error, whole).title, 'danger');

  const sendTest = useMutation({
    mutationFn: () =>
      request('POST /api/accounts/{accountId}/webhooks/{endpointId}/test', {
        params,
        body: { type: endpoint.events[0] ?? 'generation.succeeded' },
      }),
    async onSuccess() {
      toast(text.testSent);
      await queries.invalidateQueries({ queryKey: deliveriesKey(params) });
    },
    onError,
  });
  const isPaused = endpoint.status === 'paused';
  const toggle = useMutation({
    mutationFn: () =>
      isPaused
        ? request('POST /api/accounts/{accountId}/webhooks/{endpointId}/resume', { params })
        : request('POST /api/accounts/{accountId}/webhooks/{endpointId}/pause', { params }),
    async onSuccess() {
      await refresh();
      toast(isPaused ? text.resumed : text.paused);
    },
    onError,
  });
  const rotate = useMutation({
    mutationFn: () => request('POST /api/accounts/{accountId}/webhooks/{endpointId}/rotate-secret', { params }),
    onSuccess({ secret }) {
      onSecret(secret);
      close();
    },
  });
  const remove = useMutation({
    mutationFn: () => request('DELETE /api/accounts/{accountId}/webhooks/{endpointId}', { params }),
    async onSuccess() {
      toast(text.removed);
      await navigate({ to: '/accounts/$accountId/webhooks', params: { accountId } });
      await queries.invalidateQueries({ queryKey: endpointsQuery(accountId).queryKey });
    },
  });

  return (
    <>
      <button className="button" type="button" disabled={sendTest.isPending} onClick={() => sendTest.mutate()}>
        <Icon name="send" />
        {text.sendTest}
      </button>
      <button className="button" type="button" disabled={toggle.isPending} onClick={() => toggle.mutate()}>
        <Icon name={isPaused ? 'succeeded' : 'pause'} />
        {isPaused ? text.resume : text.pause}
      </button>
      <button className="button" type="button" onClick={() => setOpen('rotate')}>
        <Icon name="repeat" />
        {text.rotate}
      </button>
      <Menu
        label={whole.actions.more}
        items={[
          { label: text.edit, icon: 'settings', onSelect: () => setOpen('edit') },
          { label: text.remove, icon: 'cross', tone: 'danger', onSelect: () => setOpen('remove') },
        ]}
      />
      {open === 'edit' && (
        <EndpointForm
          editing={endpoint}
          onCreated={close}
          onSaved={() => {
            toast(text.form.saved);
            close();
          }}
          onClose={close}
        />
      )}
      {open === 'rotate' && (
        <Dialog
          title={text.rotateTitle}
          description={text.rotateHint}
          action={text.rotate}
          busy={rotate.isPending}
          onSubmit={() => rotate.mutate()}
          onClose={close}
        >
          {rotate.error !== null && <ProblemNotice error={rotate.error} />}
        </Dialog>
      )}
      {open === 'remove' && (
        <Dialog
          title={text.removeTitle}
          description={text.removeHint}
          action={text.remove.replace('…', '')}
          actionKind="danger"
          busy={remove.isPending}
          onSubmit={() => remove.mutate()}
          onClose={close}
        >
          {remove.error !== null && <ProblemNotice error={remove.error} />}
        </Dialog>
      )}
    </>
  );
}
