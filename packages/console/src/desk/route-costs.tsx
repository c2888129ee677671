import type { DeskModelDetail } from '@atelier/contract/desk';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { request } from '../api/request.ts';
import { Status } from '../parts/status.tsx';
import { TableHead } from '../parts/table-head.tsx';
import { useToast } from '../parts/toast.tsx';
import { useFormat } from '../parts/use-format.ts';
import { modelQuery } from './desk-queries.ts';
import { readNumber } from './read-price.ts';
import { ReasonDialog } from './reason-dialog.tsx';
import { useDeskText } from './use-desk-text.ts';

export function RouteCosts({ model }: { model: DeskModelDetail }) {
  const text = useDeskText().model;
  const format = useFormat();
  const [costs, setCosts] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(
      model.routes.map(({ target, costCoins }) => [target, costCoins === null ? '' : String(costCoins)]),
    ),
  );
  const [isSaving, setIsSaving] = useState(false);
  const isValid = Object.values(costs).every((cost) => cost.trim() === '' || readNumber(cost) !== null);
  return (
    <section className="section" aria-labelledby="routes">
      <div className="section-head">
        <h2 id="routes">{text.routes}</h2>
        <span className="beside">{text.routesHint}</span>
      </div>
      {model.routes.length === 0 ? (
        <p className="quiet">{text.noRoutes}</p>
      ) : (
        <>
          <table className="table" data-density="tight" data-stack="lines">
            <TableHead columns={[text.target, text.offered, { number: text.outputs }, text.cost]} />
            <tbody>
              {model.routes.map(({ target, offered, outputs }) => (
                <tr key={target}>
                  <th scope="row" className="mono">
                    {target}
                  </th>
                  <td>
                    <Status status={offered ? 'succeeded' : 'pending'} icon={offered ? 'succeeded' : 'warning'}>
                      {offered ? text.offered : text.notOffered}
                    </Status>
                  </td>
                  <td className="number">{format.number(outputs)}</td>
                  <td data-wide>
                    <input
                      className="input narrow"
                      inputMode="decimal"
                      aria-label={`${text.cost}: ${target}`}
                      value={costs[target] ?? ''}
                      onChange={(event) => setCosts({ ...costs, [target]: event.target.value })}
                    />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          <div className="actions section">
            <button className="button" type="button" disabled={!isValid} onClick={() => setIsSaving(true)}>
              {text.saveCosts}
            </button>
          </div>
        </>
      )}
      {isSaving && <SaveDialog model={model} costs={costs} onClose={() => setIsSaving(false)} />}
    </section>
  );
}

function SaveDialog(props: { model: DeskModelDetail; costs: Readonly<Record<string, string>>; onClose(): void }) {
  const text = useDeskText().model;
  const toast = useToast();
  const queries = useQueryClient();
  const change = async (reason: string) => {
    const entered = Object.entries(props.costs).flatMap(([target, cost]) => {
      const coins = readNumber(cost);
      return coins === null ? [] : [[target, coins] as const];
    });
    const next = await request('POST /api/desk/models/{modelId}/costs', {
      params: { modelId: props.model.id },
      body: { costs: Object.fromEntries(entered), reason },
    });
    queries.setQueryData(modelQuery(props.model.id).queryKey, next);
    toast(text.costsSaved);
  };
  return <ReasonDialog title={text.costsTitle} action={text.saveCosts} change={change} onClose={props.onClose} />;
}
