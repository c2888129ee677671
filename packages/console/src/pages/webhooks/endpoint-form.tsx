import { EVENT_TYPES } from '@atelier/contract';
import { type CreatedEndpoint, ENDPOINT_EVENTS, type Endpoint, type EndpointEvent } from '@atelier/contract/console';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { request } from '../../api/request.ts';
import { useAccount } from '../../api/session.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { CheckList, SelectField, TextField } from '../../parts/field.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { useText } from '../../text/use-text.ts';
import { keysQuery } from '../keys/keys-queries.ts';
import { endpointQuery, endpointsQuery } from './webhook-queries.ts';

const EVERY_KEY = 'every';

interface EndpointFormProps {
  readonly editing: Endpoint | null;
  onCreated(created: CreatedEndpoint): void;
  onSaved(): void;
  onClose(): void;
}

export function EndpointForm({ editing, onCreated, onSaved, onClose }: EndpointFormProps) {
  const { webhooks, actions } = useText();
  const text = webhooks.form;
  const { id: accountId } = useAccount();
  const queries = useQueryClient();
  const keys = useQuery(keysQuery(accountId)).data?.items ?? [];
  const [url, setUrl] = useState(editing?.url ?? '');
  const [events, setEvents] = useState<EndpointEvent[]>(editing?.events ?? [...EVENT_TYPES]);
  const [keyId, setKeyId] = useState(editing?.keyId ?? EVERY_KEY);
  const [isChecked, setIsChecked] = useState(false);
  const isUrl = /^https?:\/\/[^\s/]+/.test(url.trim());
  const save = useMutation({
    async mutationFn() {
      const body = { url: url.trim(), events, keyId: keyId === EVERY_KEY ? null : keyId };
      if (editing === null) {
        onCreated(await request('POST /api/accounts/{accountId}/webhooks', { params: { accountId }, body }));
      } else {
        const params = { accountId, endpointId: editing.id };
        await request('PATCH /api/accounts/{accountId}/webhooks/{endpointId}', { params, body });
        await queries.invalidateQueries({ queryKey: endpointQuery(params).queryKey });
        onSaved();
      }
      await queries.invalidateQueries({ queryKey: endpointsQuery(accountId).queryKey });
    },
  });
  const submit = () => {
    setIsChecked(true);
    if (isUrl && events.length > 0) save.mutate();
  };
  const usable = keys.filter(({ id, status }) => status === 'active' || id === editing?.keyId);
  return (
    <Dialog
      title={editing === null ? text.addTitle : text.editTitle}
      description={text.addHint}
      action={editing === null ? webhooks.add : actions.save}
      busy={save.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={text.url}
        type="url"
        className="mono"
        placeholder="https://example.com/hooks"
        maxLength={2048}
        autoFocus
        error={isChecked && !isUrl ? text.needUrl : null}
        text={url}
        onText={setUrl}
      />
      <CheckList
        legend={text.events}
        choices={ENDPOINT_EVENTS.map((value) => ({ value, label: value, hint: text.eventHints[value] }))}
        chosen={events}
        error={isChecked && events.length === 0 ? text.needEvent : null}
        onChosen={setEvents}
      />
      <SelectField
        label={text.key}
        choice={keyId}
        choices={[
          { value: EVERY_KEY, label: webhooks.allKeys },
          ...usable.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        onChoice={setKeyId}
      />
      {save.error !== null && <ProblemNotice error={save.error} />}
    </Dialog>
  );
}
