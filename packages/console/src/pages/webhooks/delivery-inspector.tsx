import type { Attempt, Delivery, DeliveryDetail, DeliveryRequest } from '@atelier/contract/console';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { request } from '../../api/request.ts';
import { useAccount } from '../../api/session.ts';
import { Code, type CodeSample } from '../../parts/code.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { presentError } from '../../parts/problem-notice.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useFormat } from '../../parts/use-format.ts';
import { useText } from '../../text/use-text.ts';
import { deliveriesKey, deliveryQuery } from './webhook-queries.ts';

/** One delivery: its attempts, and the request and response of the last one. */
export function DeliveryInspector({ delivery }: { delivery: Delivery }) {
  const whole = useText();
  const text = whole.webhooks.deliveries;
  const toast = useToast();
  const queries = useQueryClient();
  const { id: accountId, canBuild } = useAccount();
  const params = { accountId, deliveryId: delivery.id };
  const query = useQuery(deliveryQuery(params));
  const redeliver = useMutation({
    mutationFn: () => request('POST /api/accounts/{accountId}/deliveries/{deliveryId}/redeliver', { params }),
    async onSuccess(detail) {
      queries.setQueryData(deliveryQuery(params).queryKey, detail);
      await queries.invalidateQueries({ queryKey: deliveriesKey({ accountId, endpointId: delivery.endpointId }) });
      toast(text.again);
    },
    onError: (error) => toast(presentError(error, whole).title, 'danger'),
  });
  return (
    <section className="inspector" aria-label={text.details}>
      <div className="section-head">
        <h2>{delivery.eventType}</h2>
        <div className="actions">
          {!delivery.isTest && delivery.generationId !== null && (
            <Link
              className="button"
              data-size="small"
              data-kind="plain"
              to="/accounts/$accountId/generations/$generationId"
              params={{ accountId, generationId: delivery.generationId }}
            >
              {text.generation}
            </Link>
          )}
          {canBuild && (
            <button
              className="button"
              data-size="small"
              type="button"
              disabled={redeliver.isPending}
              onClick={() => redeliver.mutate()}
            >
              <Icon name="repeat" />
              {text.redeliverNow}
            </button>
          )}
        </div>
      </div>
      <Loaded query={query}>{(detail) => <Detail detail={detail} />}</Loaded>
    </section>
  );
}

function Detail({ detail }: { detail: DeliveryDetail }) {
  const text = useText().webhooks.deliveries;
  const last = detail.attempts.at(-1);
  const samples: CodeSample[] = [
    ...(detail.request === null
      ? []
      : [{ label: text.request, language: 'http' as const, code: writeRequest(detail.request) }]),
    ...(last === undefined
      ? []
      : [{ label: text.response, language: 'json' as const, code: writeResponse(last, text.emptyBody) }]),
  ];
  return (
    <>
      {detail.reason !== null && <p className="quiet">{detail.reason}</p>}
      <ol className="trail">
        {detail.attempts.map((attempt) => (
          <AttemptLine attempt={attempt} key={`${attempt.round}.${attempt.n}`} />
        ))}
        {detail.nextAttemptAt !== null && <NextAttempt at={detail.nextAttemptAt} />}
      </ol>
      {samples.length > 0 && <Code label={text.exchange} samples={samples} tall />}
      {detail.request !== null && !detail.request.exact && <p className="quiet small">{text.now}</p>}
    </>
  );
}

function AttemptLine({ attempt }: { attempt: Attempt }) {
  const text = useText().webhooks.deliveries;
  const format = useFormat();
  const details = [
    ...(attempt.round > 1 ? [text.round(attempt.round)] : []),
    format.span(attempt.latencyMs),
    ...(attempt.error === null ? [] : [attempt.error]),
  ];
  return (
    <li data-tone={attempt.ok ? 'success' : 'danger'}>
      <Icon name={attempt.ok ? 'succeeded' : 'failed'} />
      <span>
        {text.attempt(attempt.n)} <b>{attempt.statusCode ?? text.noResponse}</b>
      </span>
      <time dateTime={attempt.startedAt} title={format.full(attempt.startedAt)}>
        {format.moment(attempt.startedAt)}
      </time>
      <span className="detail">{details.join(', ')}</span>
    </li>
  );
}

function NextAttempt({ at }: { at: string }) {
  const text = useText().webhooks.deliveries;
  const format = useFormat();
  return (
    <li data-tone="warning">
      <Icon name="clock" />
      <span>{text.nextAttempt}</span>
      <time dateTime={at}>{format.moment(at)}</time>
      <span className="detail">{format.near(at)}</span>
    </li>
  );
}

/** A body as it is easiest to read: JSON on several lines, anything else unchanged. */
function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

function writeRequest({ method, url, headers, body }: DeliveryRequest): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${url}`, ...lines, '', readable(body)].join('\n');
}

function writeResponse(attempt: Attempt, emptyBody: string): string {
  const body = attempt.responseBody ?? '';
  const first = attempt.statusCode === null ? (attempt.error ?? '') : `HTTP ${attempt.statusCode}`;
  return `${first}\n\n${body === '' ? emptyBody : readable(body)}`;
}
