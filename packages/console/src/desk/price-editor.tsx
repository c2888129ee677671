import type { DeskModelDetail, PriceRule } from '@atelier/contract/desk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { request } from '../api/request.ts';
import { AreaField, SelectField, TextField } from '../parts/field.tsx';
import { Icon } from '../parts/icon.tsx';
import { ProblemNotice } from '../parts/problem-notice.tsx';
import { useToast } from '../parts/toast.tsx';
import { useFormat } from '../parts/use-format.ts';
import { useText } from '../text/use-text.ts';
import { modelQuery } from './desk-queries.ts';
import { PriceTrial } from './price-trial.tsx';
import { type PriceForm, readLines, readPrice, writePrice } from './read-price.ts';
import { ReasonDialog } from './reason-dialog.tsx';
import { useDeskText } from './use-desk-text.ts';

const SAMPLES = ['100', '500', '1000'] as const;
type Sample = (typeof SAMPLES)[number];

/** A price is compared with the newest generations before it can be published. */
export function PriceEditor({ model }: { model: DeskModelDetail }) {
  const { shell } = useText();
  const text = useDeskText().model;
  const format = useFormat();
  const [form, setForm] = useState(() => writePrice(model.price));
  const [last, setLast] = useState<Sample>('500');
  const [mode, setMode] = useState<'live' | 'test'>('live');
  const [publishing, setPublishing] = useState<{ readonly price: PriceRule | null } | null>(null);
  const price = readPrice(form);
  const trial = useMutation({
    mutationFn: (tried: PriceRule) =>
      request('POST /api/desk/models/{modelId}/try-price', {
        params: { modelId: model.id },
        body: { price: tried, mode, last: Number(last) },
      }),
  });
  const change = (part: Partial<PriceForm>) => {
    setForm({ ...form, ...part });
    trial.reset();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (price !== null) trial.mutate(price);
  };
  return (
    <section className="section" aria-labelledby="price">
      <div className="section-head">
        <h2 id="price">{text.price}</h2>
        <span className="beside">{text.priceHint}</span>
      </div>
      {model.pricedHere && (
        <div className="notice">
          <Icon name="info" />
          <div>
            <strong>{text.changed}</strong>
          </div>
          <button className="button" data-size="small" type="button" onClick={() => setPublishing({ price: null })}>
            {text.revert}
          </button>
        </div>
      )}
      <div className="columns" data-split="even">
        <form className="stack" onSubmit={submit}>
          <TextField
            label={text.base}
            inputMode="decimal"
            required
            text={form.base}
            onText={(base) => change({ base })}
          />
          <AreaField
            label={text.lines}
            hint={text.linesHint(model.params.join(', '))}
            error={readLines(form.lines) === null ? text.linesInvalid : null}
            className="mono"
            rows={4}
            spellCheck={false}
            text={form.lines}
            onText={(lines) => change({ lines })}
          />
          <TextField
            label={text.roundUpTo}
            hint={text.roundHint}
            inputMode="numeric"
            text={form.roundUpTo}
            onText={(roundUpTo) => change({ roundUpTo })}
          />
          <SelectField<Sample>
            label={text.sample}
            choice={last}
            choices={SAMPLES.map((value) => ({ value, label: text.sampleOf(format.number(Number(value))) }))}
            onChoice={setLast}
          />
          <SelectField<'live' | 'test'>
            label={text.accounts}
            choice={mode}
            choices={[
              { value: 'live', label: shell.live },
              { value: 'test', label: shell.test },
            ]}
            onChoice={setMode}
          />
          <div className="actions">
            <button className="button" type="submit" disabled={price === null || trial.isPending}>
              {text.tryIt}
            </button>
            <button
              className="button"
              data-kind="primary"
              type="button"
              disabled={price === null || trial.data === undefined}
              onClick={() => setPublishing({ price })}
            >
              {text.publish}
            </button>
          </div>
        </form>
        <div>
          {trial.error !== null && <ProblemNotice error={trial.error} />}
          {trial.data !== undefined && <PriceTrial tried={trial.data} />}
        </div>
      </div>
      {publishing !== null && (
        <PublishDialog model={model} price={publishing.price} onClose={() => setPublishing(null)} />
      )}
    </section>
  );
}

function PublishDialog(props: { model: DeskModelDetail; price: PriceRule | null; onClose(): void }) {
  const text = useDeskText().model;
  const toast = useToast();
  const queries = useQueryClient();
  const { model, price } = props;
  const change = async (reason: string) => {
    const next = await request('POST /api/desk/models/{modelId}/price', {
      params: { modelId: model.id },
      body: { price, reason },
    });
    queries.setQueryData(modelQuery(model.id).queryKey, next);
    toast(price === null ? text.reverted : text.published);
  };
  return (
    <ReasonDialog
      title={price === null ? text.revert : text.publishTitle(model.name)}
      description={text.publishHint}
      action={price === null ? text.revert : text.publish}
      change={change}
      onClose={props.onClose}
    />
  );
}
