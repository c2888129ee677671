import { type Budget, MAX_USAGE_DAYS } from '@atelier/contract/console';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { request } from '../../api/request.ts';
import { useAccount } from '../../api/session.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { useText } from '../../text/use-text.ts';
import { type BudgetBody, type BudgetMistakes, EMPTY_BUDGET, readBudgetValues, valuesOf } from './budget-values.ts';
import { budgetsQuery, daysOf, usageQuery } from './money-queries.ts';

interface BudgetFormProps {
  /** The budget to change; null for a new one. */
  readonly editing: Budget | null;
  onSaved(): void;
  onClose(): void;
}

export function BudgetForm({ editing, onSaved, onClose }: BudgetFormProps) {
  const { budgets, actions } = useText();
  const text = budgets.form;
  const { id: accountId } = useAccount();
  const queries = useQueryClient();
  const [values, setValues] = useState(editing === null ? EMPTY_BUDGET : valuesOf(editing));
  const [mistakes, setMistakes] = useState<BudgetMistakes>({});
  const save = useMutation({
    async mutationFn({ projectId, ...settings }: BudgetBody) {
      if (editing === null) {
        const body = { projectId, ...settings };
        await request('POST /api/accounts/{accountId}/budgets', { params: { accountId }, body });
      } else {
        const params = { accountId, budgetId: editing.id };
        await request('PATCH /api/accounts/{accountId}/budgets/{budgetId}', { params, body: settings });
      }
      await queries.invalidateQueries({ queryKey: budgetsQuery(accountId).queryKey });
      onSaved();
    },
  });
  const submit = () => {
    const read = readBudgetValues(values);
    setMistakes('mistakes' in read ? read.mistakes : {});
    if ('body' in read) save.mutate(read.body);
  };
  const wrong = (field: keyof BudgetMistakes) => {
    const mistake = mistakes[field];
    return mistake === undefined ? null : text[mistake];
  };
  return (
    <Dialog
      title={editing === null ? text.addTitle : text.editTitle(editing.projectId ?? budgets.noProject)}
      description={text.hint}
      action={editing === null ? budgets.add : actions.save}
      busy={save.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      {editing === null && (
        <SelectField
          label={text.scope}
          choice={values.scope}
          choices={[
            { value: 'project', label: text.scopes.project },
            { value: 'none', label: text.scopes.none },
          ]}
          onChoice={(scope) => setValues({ ...values, scope })}
        />
      )}
      {editing === null && values.scope === 'project' && (
        <ProjectField
          error={wrong('project')}
          project={values.project}
          onProject={(project) => setValues({ ...values, project })}
        />
      )}
      <TextField
        label={text.coins}
        unit={text.unit}
        inputMode="numeric"
        error={wrong('coins')}
        text={values.coins}
        onText={(coins) => setValues({ ...values, coins })}
      />
      <TextField
        label={text.alerts}
        hint={text.alertsHint}
        unit="%"
        error={wrong('alerts')}
        text={values.alerts}
        onText={(alerts) => setValues({ ...values, alerts })}
      />
      {save.error !== null && <ProblemNotice error={save.error} />}
    </Dialog>
  );
}

/** Any name, with the projects that were charged lately as suggestions. */
function ProjectField(props: { error: string | null; project: string; onProject(project: string): void }) {
  const text = useText().budgets.form;
  const { id: accountId } = useAccount();
  const list = useId();
  const usage = useQuery(usageQuery(accountId, daysOf(MAX_USAGE_DAYS, Date.now()))).data;
  const known = (usage?.projects ?? []).flatMap(({ id }) => (id === null ? [] : [id]));
  return (
    <>
      <TextField
        label={text.project}
        hint={text.projectHint}
        className="mono"
        maxLength={128}
        autoComplete="off"
        list={list}
        error={props.error}
        text={props.project}
        onText={props.onProject}
      />
      <datalist id={list}>
        {known.map((id) => (
          <option key={id} value={id} />
        ))}
      </datalist>
    </>
  );
}
