import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { request } from '../../api/request.ts';
import { sessionQuery, useAccount } from '../../api/session.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { TextField } from '../../parts/field.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { TableHead } from '../../parts/table-head.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useText } from '../../text/use-text.ts';

export function SettingsPage() {
  const { settings: text, shell, actions } = useText();
  const { membership } = useAccount();
  return (
    <>
      <PageHead title={text.title} description={text.description} />
      <NameSection />
      <section className="section" aria-labelledby="ids">
        <div className="section-head">
          <h2 id="ids">{text.ids}</h2>
          <span className="beside">{text.idsHint}</span>
        </div>
        <table className="table" data-stack="lines" data-density="tight">
          <TableHead columns={[shell.mode, text.id]} actions={actions.copy} />
          <tbody>
            {(['live', 'test'] as const).map((mode) => (
              <tr key={mode}>
                <th scope="row">{shell[mode]}</th>
                <td data-wide className="mono">
                  {membership.accountIds[mode]}
                </td>
                <td className="act">
                  <CopyButton value={membership.accountIds[mode]} label={text.copyId(shell[mode])} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}

function NameSection() {
  const { settings: text, actions } = useText();
  const toast = useToast();
  const queries = useQueryClient();
  const { id: accountId, membership, isOwner } = useAccount();
  const [name, setName] = useState(membership.name);
  const rename = useMutation({
    mutationFn: () =>
      request('PATCH /api/accounts/{accountId}/settings', { params: { accountId }, body: { name: name.trim() } }),
    async onSuccess(saved) {
      setName(saved.name);
      await queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
      toast(text.renamed);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    rename.mutate();
  };
  const isSame = name.trim() === '' || name.trim() === membership.name;
  return (
    <section className="section" aria-labelledby="name">
      <div className="section-head">
        <h2 id="name">{text.nameTitle}</h2>
      </div>
      <form className="stack narrow" onSubmit={submit}>
        <TextField
          label={text.name}
          hint={isOwner ? text.nameHint : text.ownersOnly}
          maxLength={100}
          required
          readOnly={!isOwner}
          text={name}
          onText={setName}
        />
        {rename.error !== null && <ProblemNotice error={rename.error} />}
        {isOwner && (
          <div className="actions">
            <button className="button" type="submit" disabled={rename.isPending || isSame}>
              {rename.isPending ? actions.working : actions.save}
            </button>
          </div>
        )}
      </form>
    </section>
  );
}
