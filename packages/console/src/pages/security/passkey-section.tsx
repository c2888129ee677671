import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { AuthError, addPasskey, canUsePasskeys, deletePasskey } from '../../api/auth.ts';
import { ApiProblem } from '../../api/problem.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { ProblemNotice, presentError } from '../../parts/problem-notice.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useFormat } from '../../parts/use-format.ts';
import { useText } from '../../text/use-text.ts';
import { passkeysQuery } from './security-queries.ts';

export function PasskeySection() {
  const whole = useText();
  const text = whole.security.passkeys;
  const format = useFormat();
  const toast = useToast();
  const queries = useQueryClient();
  const query = useQuery(passkeysQuery);
  const [isAdding, setIsAdding] = useState(false);
  const remove = useMutation({
    mutationFn: deletePasskey,
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: passkeysQuery.queryKey });
      toast(text.removed);
    },
    onError: (error) => toast(presentError(error, whole).title, 'danger'),
  });
  return (
    <section aria-labelledby="passkeys">
      <div className="section-head">
        <h2 id="passkeys">{text.title}</h2>
        {canUsePasskeys() && (
          <button className="button" data-size="small" type="button" onClick={() => setIsAdding(true)}>
            <Icon name="plus" />
            {text.add}
          </button>
        )}
      </div>
      <p className="quiet small">{canUsePasskeys() ? text.description : text.unsupported}</p>
      <Loaded query={query}>
        {(passkeys) =>
          passkeys.length === 0 ? (
            <p className="section small">{text.none}</p>
          ) : (
            <ul className="lines">
              {passkeys.map(({ id, name, createdAt }) => (
                <li key={id}>
                  <Icon name="key" />
                  <span>
                    {name == null || name === '' ? text.unnamed : name}
                    {createdAt != null && <span className="quiet"> {format.day(createdAt)}</span>}
                  </span>
                  <button
                    className="button"
                    data-size="small"
                    data-kind="danger"
                    type="button"
                    disabled={remove.isPending}
                    onClick={() => remove.mutate(id)}
                  >
                    {text.remove}
                  </button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {isAdding && <AddPasskey onClose={() => setIsAdding(false)} />}
    </section>
  );
}

function AddPasskey({ onClose }: { onClose(): void }) {
  const { auth, security } = useText();
  const text = security.passkeys;
  const toast = useToast();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const add = useMutation({
    mutationFn: () => addPasskey({ name: name.trim(), password }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: passkeysQuery.queryKey });
      toast(text.added);
      onClose();
    },
  });
  const isServerError = add.error instanceof AuthError || add.error instanceof ApiProblem;
  return (
    <Dialog
      title={text.add}
      description={text.description}
      action={text.add}
      actionDisabled={name.trim() === '' || password === ''}
      busy={add.isPending}
      onSubmit={() => add.mutate()}
      onClose={onClose}
    >
      <TextField label={text.name} maxLength={60} autoFocus text={name} onText={setName} />
      <TextField
        label={auth.password}
        type="password"
        autoComplete="current-password"
        required
        text={password}
        onText={setPassword}
      />
      {add.error !== null &&
        (isServerError ? (
          <ProblemNotice error={add.error} />
        ) : (
          <div className="notice" data-tone="warning" role="alert">
            <Icon name="warning" />
            <div>{text.refused}</div>
          </div>
        ))}
    </Dialog>
  );
}
