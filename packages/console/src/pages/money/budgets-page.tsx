import type { Budget, BudgetList } from '@atelier/contract/console';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { request } from '../../api/request.ts';
import { useAccount } from '../../api/session.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Menu, type MenuItem } from '../../parts/menu.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { TableHead } from '../../parts/table-head.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useFormat } from '../../parts/use-format.ts';
import { useText } from '../../text/use-text.ts';
import { BudgetForm } from './budget-form.tsx';
import { budgetsQuery } from './money-queries.ts';

/** From here on a meter warns. */
const WARN_PART = 0.8;

type Open = { kind: 'create' } | { kind: 'edit' | 'remove'; budget: Budget } | null;

export function BudgetsPage() {
  const text = useText().budgets;
  const toast = useToast();
  const { id: accountId, canPay } = useAccount();
  const query = useQuery(budgetsQuery(accountId));
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  const menuOf = (budget: Budget): readonly MenuItem[] => [
    { label: text.edit, icon: 'settings', onSelect: () => setOpen({ kind: 'edit', budget }) },
    { label: text.remove, icon: 'cross', tone: 'danger', onSelect: () => setOpen({ kind: 'remove', budget }) },
  ];
  return (
    <>
      <PageHead
        title={text.title}
        description={
          <>
            {text.description}{' '}
            <Link to="/accounts/$accountId/keys" params={{ accountId }}>
              {text.toKeys}
            </Link>
          </>
        }
        actions={
          canPay && (
            <button className="button" data-kind="primary" type="button" onClick={() => setOpen({ kind: 'create' })}>
              <Icon name="plus" />
              {text.add}
            </button>
          )
        }
      />
      <Loaded query={query}>
        {(list) =>
          list.items.length === 0 ? <NoBudgets /> : <BudgetTable list={list} menuOf={canPay ? menuOf : null} />
        }
      </Loaded>
      {!canPay && <p className="quiet">{text.payersOnly}</p>}
      {(open?.kind === 'create' || open?.kind === 'edit') && (
        <BudgetForm
          editing={open.kind === 'edit' ? open.budget : null}
          onSaved={() => {
            toast(text.saved);
            close();
          }}
          onClose={close}
        />
      )}
      {open?.kind === 'remove' && <RemoveBudget budget={open.budget} onClose={close} />}
    </>
  );
}

function BudgetTable(props: { list: BudgetList; menuOf: ((budget: Budget) => readonly MenuItem[]) | null }) {
  const whole = useText();
  const text = whole.budgets;
  const format = useFormat();
  const percent = (share: number) => text.percent(format.number(share));
  const { items, isComplete } = props.list;
  return (
    <section className="section" aria-labelledby="budgets">
      <div className="section-head">
        <h2 id="budgets">{text.ofMonth(format.monthName())}</h2>
        <span className="beside">{isComplete ? whole.usage.utc : whole.usage.counting}</span>
      </div>
      <table className="table" data-stack="card">
        <TableHead
          columns={[text.columns.project, text.columns.spent, text.columns.alerts]}
          actions={props.menuOf !== null ? text.columns.actions : null}
        />
        <tbody>
          {items.map((budget) => (
            <tr key={budget.id}>
              <th scope="row">{budget.projectId ?? <span className="quiet">{text.noProject}</span>}</th>
              <td data-label={text.columns.spent}>
                <Spent budget={budget} />
              </td>
              <td data-label={text.columns.alerts}>
                {budget.alertPercents.map(percent).join(', ')}
                {budget.alertedPercent !== null && (
                  <span className="sub">{text.alerted(percent(budget.alertedPercent))}</span>
                )}
              </td>
              {props.menuOf !== null && (
                <td className="act">
                  <Menu label={text.actionsFor(budget.projectId ?? text.noProject)} items={props.menuOf(budget)} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Spent({ budget: { coins, spentCoins } }: { budget: Budget }) {
  const text = useText().budgets;
  const format = useFormat();
  const [spent, all] = [format.number(spentCoins), format.number(coins)];
  return (
    <div className="metered">
      <span>
        <b>{spent}</b>
        <span className="quiet">{text.of(all)}</span>
      </span>
      <meter
        className="meter"
        min={0}
        max={coins}
        low={coins * WARN_PART}
        high={Math.max(coins - 1, coins * WARN_PART)}
        optimum={0}
        value={Math.min(spentCoins, coins)}
        aria-label={text.spentOf(spent, all)}
      />
      {spentCoins >= coins && (
        <span className="sub">{text.usedUp(text.percent(format.number(Math.floor((100 * spentCoins) / coins))))}</span>
      )}
    </div>
  );
}

function RemoveBudget({ budget, onClose }: { budget: Budget; onClose(): void }) {
  const text = useText().budgets;
  const toast = useToast();
  const { id: accountId } = useAccount();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () =>
      request('DELETE /api/accounts/{accountId}/budgets/{budgetId}', { params: { accountId, budgetId: budget.id } }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: budgetsQuery(accountId).queryKey });
      toast(text.removed);
      onClose();
    },
  });
  return (
    <Dialog
      title={text.removeTitle(budget.projectId ?? text.noProject)}
      description={text.removeHint}
      action={text.removeAction}
      actionKind="danger"
      busy={remove.isPending}
      onSubmit={() => remove.mutate()}
      onClose={onClose}
    >
      {remove.error !== null && <ProblemNotice error={remove.error} />}
    </Dialog>
  );
}

function NoBudgets() {
  const text = useText().budgets;
  return (
    <div className="empty">
      <h2>{text.empty}</h2>
      <p>{text.emptyHint}</p>
    </div>
  );
}
