import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { disableTotp, enableTotp, verifyTotp } from '../../api/auth.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useText } from '../../text/use-text.ts';
import { ownSessionQuery } from './security-queries.ts';
import { readTotpKey } from './totp-key.ts';

export function TotpSection() {
  const text = useText().security.totp;
  const [open, setOpen] = useState<'enable' | 'disable' | null>(null);
  const isOn = useQuery(ownSessionQuery).data?.user.twoFactorEnabled === true;
  return (
    <section aria-labelledby="totp">
      <div className="section-head">
        <h2 id="totp">{text.title}</h2>
        <span className="badge" data-tone={isOn ? 'success' : undefined}>
          {isOn ? text.on : text.off}
        </span>
        <button className="button" data-size="small" type="button" onClick={() => setOpen(isOn ? 'disable' : 'enable')}>
          {isOn ? text.disable : text.enable}
        </button>
      </div>
      <p className="quiet small">{text.description}</p>
      {open === 'enable' && <EnableTotp onClose={() => setOpen(null)} />}
      {open === 'disable' && <DisableTotp onClose={() => setOpen(null)} />}
    </section>
  );
}

/** The password, then the key for the app, then a code that proves that the app has it. */
function EnableTotp({ onClose }: { onClose(): void }) {
  const { security, auth, actions } = useText();
  const text = security.totp;
  const toast = useToast();
  const queries = useQueryClient();
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const start = useMutation({ mutationFn: () => enableTotp(password) });
  const confirm = useMutation({
    mutationFn: () => verifyTotp(code.replaceAll(' ', '')),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: ownSessionQuery.queryKey });
      toast(text.enabled);
      onClose();
    },
  });
  const error = start.error ?? confirm.error;
  const set = start.data;
  return (
    <Dialog
      title={text.title}
      description={set === undefined ? text.passwordFirst : text.scan}
      action={set === undefined ? text.enable : text.confirm}
      busy={start.isPending || confirm.isPending}
      onSubmit={() => (set === undefined ? start.mutate() : confirm.mutate())}
      onClose={onClose}
    >
      {set === undefined ? (
        <TextField
          label={auth.password}
          type="password"
          autoComplete="current-password"
          required
          autoFocus
          text={password}
          onText={setPassword}
        />
      ) : (
        <>
          <div className="field">
            <span className="label">{text.key}</span>
            <div className="secret">
              <code>{readTotpKey(set.totpURI)}</code>
              <CopyButton value={readTotpKey(set.totpURI)} label={actions.copy} visible />
            </div>
            <a className="small" href={set.totpURI}>
              {text.openApp}
            </a>
          </div>
          <TextField
            label={auth.totp.code}
            inputMode="numeric"
            autoComplete="one-time-code"
            required
            autoFocus
            text={code}
            onText={setCode}
          />
          <div className="field">
            <span className="label">
              {text.codes}
              <span className="value">
                <CopyButton value={set.backupCodes.join('\n')} label={actions.copy} />
              </span>
            </span>
            <span className="hint">{text.codesHint}</span>
            <ul className="codes mono">
              {set.backupCodes.map((each) => (
                <li key={each}>{each}</li>
              ))}
            </ul>
          </div>
        </>
      )}
      {error !== null && <ProblemNotice error={error} />}
    </Dialog>
  );
}

function DisableTotp({ onClose }: { onClose(): void }) {
  const { security, auth } = useText();
  const text = security.totp;
  const toast = useToast();
  const queries = useQueryClient();
  const [password, setPassword] = useState('');
  const disable = useMutation({
    mutationFn: () => disableTotp(password),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: ownSessionQuery.queryKey });
      toast(text.disabled);
      onClose();
    },
  });
  return (
    <Dialog
      title={text.title}
      description={text.passwordFirst}
      action={text.disable}
      actionKind="danger"
      busy={disable.isPending}
      onSubmit={() => disable.mutate()}
      onClose={onClose}
    >
      <TextField
        label={auth.password}
        type="password"
        autoComplete="current-password"
        required
        autoFocus
        text={password}
        onText={setPassword}
      />
      {disable.error !== null && <ProblemNotice error={disable.error} />}
    </Dialog>
  );
}
