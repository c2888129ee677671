import type { CreateGenerationBody, ParamName, ParamValue, ParamValues } from '@atelier/contract';
import { type FormEvent, type KeyboardEvent, type SyntheticEvent, useMemo, useRef, useState } from 'react';
import { ApiProblem } from '../../api/problem.ts';
import { useAccount } from '../../api/session.ts';
import { Icon } from '../../parts/icon.tsx';
import { usePageTitle } from '../../parts/page-head.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useFormat } from '../../parts/use-format.ts';
import { useText } from '../../text/use-text.ts';
import { FormContext, type FormScope } from './controls/control.ts';
import { describeModel, nameOfTarget } from './find-target.ts';
import { describeHint, FormFields } from './form-fields.tsx';
import {
  asksConsent,
  describeForm,
  findHint,
  readIssues,
  startValues,
  type Target,
  toParams,
  withValue,
} from './form-state.ts';
import { LIST_ID, ModelPicture } from './model-list.tsx';
import { isSameRequest, type PriceRequest, priceOf } from './price-follower.ts';
import { CoinsNotice, QuoteLine } from './quote-line.tsx';
import { Results } from './results.tsx';
import { writeLink } from './share-link.ts';
import { usePrice } from './use-price.ts';
import { useSubmit } from './use-submit.ts';

/** Where to put the focus if the form is not complete. */
const WRONG_FIELD = ':is(input, textarea, select)[aria-invalid], [aria-invalid] input, .dropzone input';

/** The form of one model or effect, its price, and its results. */
export function Workbench(props: { target: Target; given: ParamValues; missing: string | null }) {
  const text = useText();
  const { target } = props;
  const { id: accountId, canBuild } = useAccount();
  const descriptors = useMemo(() => describeForm(target), [target]);
  const [values, setValues] = useState(() => startValues(target, props.given));
  const [uploading, setUploading] = useState<ReadonlySet<ParamName>>(new Set());
  const [showsHints, setShowsHints] = useState(false);
  const [hasAgreed, setHasAgreed] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  usePageTitle(nameOfTarget(text, target));

  const wanted = useMemo<PriceRequest>(
    () => ({
      modelId: target.model.id,
      params: toParams(target, values),
      ...(target.effect === null ? {} : { effectId: target.effect.id }),
    }),
    [target, values],
  );
  const price = usePrice({ accountId, wanted, isAsked: canBuild });
  const quote = priceOf(price.state, wanted);
  // Also after a submit: fewer coins are available then.
  const submit = useSubmit(accountId, price.refresh);
  const needsConsent = asksConsent(target, wanted.params);
  const isConsent = needsConsent && hasAgreed;

  const hints = new Map(descriptors.map((each) => [each.name, findHint(each, values[each.name])] as const));
  const isComplete = [...hints.values()].every((hint) => hint === null);
  const { state } = price;
  const priceError = state.kind === 'refused' && isSameRequest(state.request, wanted) ? state.error : null;
  const error: unknown = submit.error ?? priceError;
  const issues = readIssues(error instanceof ApiProblem ? (error.body?.issues ?? []) : [], descriptors);
  const errors = new Map<ParamName, string>();
  for (const { name } of descriptors) {
    const hint = hints.get(name) ?? null;
    // An empty field is not wrong before the person wants to start.
    const shown = hint !== null && (hint.kind !== 'required' || showsHints) ? describeHint(text, hint) : null;
    const message = shown ?? issues.byParam.get(name) ?? null;
    if (message !== null) errors.set(name, message);
  }

  const scope: FormScope = {
    accountId,
    descriptors,
    values,
    maxInputBytes: target.model.inputLimits?.maxInputBytes ?? null,
    setValue(name: ParamName, value: ParamValue | undefined) {
      setValues((before) => withValue(before, name, value));
      if (submit.error !== null) submit.reset();
    },
    setUploading(name, isUploading) {
      setUploading((before) => {
        const next = new Set(before);
        if (isUploading) next.add(name);
        else next.delete(name);
        return next;
      });
    },
  };

  const body = (maxCoins: number): CreateGenerationBody => ({
    ...wanted,
    maxCoins,
    ...(isConsent ? { consent: true as const } : {}),
  });
  const isClosed = target.model.availability.state === 'closed';
  const isBlocked = !canBuild || isClosed || submit.isPending || uploading.size > 0 || needsConsent !== isConsent;
  // Events of a dialog that a field has opened arrive here too.
  const isOwn = (event: SyntheticEvent) => form.current?.contains(event.target as Node) === true;
  const start = () => {
    if (isBlocked) return;
    setShowsHints(true);
    if (!isComplete) {
      // After the fields have their messages.
      setTimeout(() => form.current?.querySelector<HTMLElement>(WRONG_FIELD)?.focus());
      return;
    }
    if (quote !== null) submit.submit(body(quote.coins));
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (isOwn(event)) start();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && isOwn(event)) start();
  };
  // What a field shows needs no second place.
  const showsNotice = error !== null && (issues.byParam.size === 0 || issues.others.length > 0);

  return (
    <>
      <form
        className="form"
        ref={form}
        aria-label={text.playground.formOf(nameOfTarget(text, target))}
        noValidate
        onSubmit={onSubmit}
        onKeyDown={onKeyDown}
      >
        <div className="fields">
          <Head {...props} wanted={wanted} />
          <FormContext value={scope}>
            <FormFields errors={errors} />
          </FormContext>
        </div>
        <footer>
          {showsNotice && <ProblemNotice error={error} onRetry={submit.error === null ? price.refresh : undefined} />}
          {needsConsent && (
            <label className="check">
              <input type="checkbox" checked={hasAgreed} onChange={(event) => setHasAgreed(event.target.checked)} />
              <span>{text.playground.consent}</span>
            </label>
          )}
          {canBuild ? (
            <>
              <QuoteLine quote={quote} state={state} isComplete={isComplete} />
              <CoinsNotice quote={quote} />
            </>
          ) : (
            <p className="quiet small">{text.playground.readOnly}</p>
          )}
          <button
            className="button"
            data-kind="primary"
            data-size="large"
            type="submit"
            disabled={isBlocked || (isComplete && quote === null)}
          >
            {submit.isPending
              ? text.playground.sendingRequest
              : uploading.size > 0
                ? text.playground.waitForUpload
                : text.playground.generate}
            <kbd>Ctrl ↵</kbd>
          </button>
        </footer>
      </form>
      <Results modelId={target.model.id} request={{ ...wanted, maxCoins: quote?.coins ?? 1 }} isConsent={isConsent} />
    </>
  );
}

function Head(props: { target: Target; missing: string | null; wanted: PriceRequest }) {
  const text = useText();
  const format = useFormat();
  const toast = useToast();
  const { id: accountId } = useAccount();
  const { model, effect } = props.target;
  const name = nameOfTarget(text, props.target);
  const workspace = text.generations.filters.workspaces[model.workspace];
  const from = model.priceFromCoins === null ? null : format.number(model.priceFromCoins);
  const copyLink = async () => {
    const link = writeLink({
      origin: location.origin,
      accountId,
      modelId: model.id,
      effectId: effect?.id ?? null,
      params: props.wanted.params,
    });
    if (link === null) {
      toast(text.playground.linkTooLong, 'danger');
      return;
    }
    await navigator.clipboard.writeText(link);
    toast(text.playground.linkCopied);
  };
  return (
    <>
      <button className="model-picker" type="button" popoverTarget={LIST_ID}>
        <ModelPicture model={model} />
        <span>
          <b>{name}</b>
          <small>{text.playground.from(workspace, from)}</small>
        </span>
        <Icon name="updown" />
      </button>
      <header className="model-head">
        <h1>{name}</h1>
        <p>{effect === null ? describeModel(model) : text.playground.effectOf(model.displayName)}</p>
        <div className="inline">
          <span className="badges">
            <span className="badge">{model.taskType}</span>
          </span>
          <button className="button" data-kind="plain" data-size="small" type="button" onClick={() => void copyLink()}>
            <Icon name="link" />
            {text.playground.copyLink}
          </button>
        </div>
      </header>
      {props.missing !== null && <p className="notice">{text.playground.unknown(props.missing)}</p>}
      {model.availability.state === 'closed' && <p className="notice">{text.playground.closed}</p>}
    </>
  );
}
