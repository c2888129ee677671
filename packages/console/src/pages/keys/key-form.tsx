import { SCOPES } from '@atelier/contract';
import type { ConsoleKey, CreatedKey } from '@atelier/contract/console';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { request } from '../../api/request.ts';
import { useAccount } from '../../api/session.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { CheckList, TextField } from '../../parts/field.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { useText } from '../../text/use-text.ts';
import { EMPTY_KEY, type KeyBody, type KeyMistakes, readKeyValues, valuesOf } from './key-values.ts';
import { keysQuery } from './keys-queries.ts';

interface KeyFormProps {
  /** The key to change; null for a new one. */
  readonly editing: ConsoleKey | null;
  onCreated(created: CreatedKey): void;
  onSaved(): void;
  onClose(): void;
}

export function KeyForm({ editing, onCreated, onSaved, onClose }: KeyFormProps) {
  const text = useText().keys.form;
  const { actions, keys } = useText();
  const { id: accountId, mode } = useAccount();
  const queries = useQueryClient();
  const [values, setValues] = useState(editing === null ? EMPTY_KEY : valuesOf(editing));
  const [mistakes, setMistakes] = useState<KeyMistakes>({});
  const save = useMutation({
    async mutationFn(body: KeyBody) {
      if (editing === null) {
        onCreated(await request('POST /api/accounts/{accountId}/keys', { params: { accountId }, body }));
      } else {
        const params = { accountId, keyId: editing.id };
        await request('PATCH /api/accounts/{accountId}/keys/{keyId}', { params, body });
        onSaved();
      }
      await queries.invalidateQueries({ queryKey: keysQuery(accountId).queryKey });
    },
  });
  const submit = () => {
    const read = readKeyValues(values, Date.now());
    setMistakes('mistakes' in read ? read.mistakes : {});
    if ('body' in read) save.mutate(read.body);
  };
  const wrong = (field: keyof KeyMistakes) => {
    const mistake = mistakes[field];
    return mistake === undefined ? null : text[mistake];
  };
  return (
    <Dialog
      title={editing === null ? text.createTitle[mode] : text.editTitle(editing.name)}
      description={editing === null ? text.createHint[mode] : undefined}
      action={editing === null ? keys.create : actions.save}
      busy={save.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={text.name}
        placeholder={text.namePlaceholder}
        maxLength={100}
        autoFocus
        error={wrong('name')}
        text={values.name}
        onText={(name) => setValues({ ...values, name })}
      />
      <CheckList
        legend={text.scopes}
        choices={SCOPES.map((value) => ({ value, label: value, hint: text.scopeHints[value] }))}
        chosen={values.scopes}
        error={wrong('scopes')}
        onChosen={(scopes) => setValues({ ...values, scopes })}
      />
      <TextField
        label={text.cap}
        hint={text.capHint}
        unit={text.coins}
        inputMode="numeric"
        error={wrong('cap')}
        text={values.cap}
        onText={(cap) => setValues({ ...values, cap })}
      />
      <TextField
        label={text.requestCap}
        hint={text.requestCapHint}
        unit={text.coins}
        inputMode="numeric"
        error={wrong('requestCap')}
        text={values.requestCap}
        onText={(requestCap) => setValues({ ...values, requestCap })}
      />
      <TextField
        label={text.expires}
        hint={text.expiresHint}
        type="date"
        error={wrong('expiresOn')}
        text={values.expiresOn}
        onText={(expiresOn) => setValues({ ...values, expiresOn })}
      />
      {save.error !== null && <ProblemNotice error={save.error} />}
    </Dialog>
  );
}
