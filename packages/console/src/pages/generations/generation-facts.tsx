import type { Generation } from '@atelier/contract';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { request } from '../../api/request.ts';
import { useAccount } from '../../api/session.ts';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { Coins } from '../../parts/status.tsx';
import { useFormat } from '../../parts/use-format.ts';
import { nameOf } from '../../text/name-of.ts';
import { useText } from '../../text/use-text.ts';

type Tone = 'success' | 'danger' | 'accent' | 'warning';

function Step(props: { icon: IconName; tone?: Tone; label: string; at: ReactNode; detail?: string | null }) {
  return (
    <li data-tone={props.tone}>
      <Icon name={props.icon} />
      <span>{props.label}</span>
      {props.at}
      {props.detail != null && <span className="detail">{props.detail}</span>}
    </li>
  );
}

/**
 * The lines of the price. They are those of the current price list, so they are shown only while it still gives the price
 * that was quoted.
 */
function usePriceLines({ modelId, params, effect, coinsQuoted }: Generation) {
  const { id: accountId, canBuild } = useAccount();
  const quote = useQuery({
    queryKey: ['draft', accountId, modelId, params, effect?.id ?? null],
    queryFn: () =>
      request('POST /v1/quotes', {
        params: { accountId },
        body: { modelId, params, draft: true, ...(effect === null ? {} : { effectId: effect.id }) },
      }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    enabled: canBuild,
  }).data;
  return quote?.coins === coinsQuoted ? (quote.lines ?? []) : [];
}

function Price({ generation }: { generation: Generation }) {
  const text = useText().generations.detail;
  const format = useFormat();
  const lines = usePriceLines(generation);
  const { coinsQuoted, coinsCharged, outputs, outputsRequested } = generation;
  const total =
    coinsCharged === null
      ? text.quotedFor(outputsRequested)
      : coinsCharged === 0
        ? text.refunded
        : text.total(outputs.length, outputsRequested);
  return (
    <section aria-labelledby="price">
      <h2 id="price">{text.price}</h2>
      <dl className="sum">
        {lines.map(({ label, coins }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{format.number(coins)}</dd>
          </div>
        ))}
        <div className={lines.length > 0 ? 'total' : undefined}>
          <dt>{total}</dt>
          <dd>
            <Coins>{format.number(coinsCharged ?? coinsQuoted)}</Coins>
          </dd>
        </div>
      </dl>
      {lines.length > 0 && <p className="quiet small">{text.perOutput}</p>}
    </section>
  );
}

function CoinTrail({ generation }: { generation: Generation }) {
  const text = useText().generations.detail;
  const format = useFormat();
  const { coinsQuoted, coinsCharged, createdAt, completedAt } = generation;
  const released = coinsQuoted - (coinsCharged ?? 0);
  const ended = completedAt === null ? null : format.exactClock(completedAt);
  return (
    <section aria-labelledby="coins">
      <h2 id="coins">{text.trail}</h2>
      <ol className="trail">
        <Step
          icon="lock"
          label={text.held}
          at={<Coins>{format.number(coinsQuoted)}</Coins>}
          detail={`${format.exactClock(createdAt)}. ${text.heldHint}`}
        />
        {coinsCharged !== null && coinsCharged > 0 && (
          <Step
            icon="succeeded"
            tone="success"
            label={text.captured}
            at={<Coins>{format.number(coinsCharged)}</Coins>}
            detail={ended}
          />
        )}
        {coinsCharged !== null && released > 0 && (
          <Step icon="repeat" label={text.released} at={<Coins>{format.number(released)}</Coins>} detail={ended} />
        )}
      </ol>
    </section>
  );
}

const END_ICONS = { succeeded: 'succeeded', failed: 'failed', canceled: 'canceled' } as const;
const END_TONES = { succeeded: 'success', failed: 'danger', canceled: 'warning' } as const;

function Timeline({ generation }: { generation: Generation }) {
  const text = useText().generations;
  const format = useFormat();
  const { status, createdAt, startedAt, completedAt, queueReason } = generation;
  const time = (at: string) => (
    <time dateTime={at} title={format.full(at)}>
      {format.exactClock(at)}
    </time>
  );
  const between = (from: string, to: string) => format.span(Date.parse(to) - Date.parse(from));
  const waited = startedAt === null ? null : text.detail.inQueue(between(createdAt, startedAt));
  const reason = queueReason == null ? null : text.reasons[queueReason];
  const isEnd = status === 'succeeded' || status === 'failed' || status === 'canceled';
  return (
    <section aria-labelledby="states">
      <h2 id="states">{text.detail.timeline}</h2>
      <ol className="trail">
        <Step icon="queued" label={text.statuses.queued} at={time(createdAt)} detail={waited ?? reason} />
        {startedAt !== null && (
          <Step
            icon="processing"
            tone="accent"
            label={text.statuses.processing}
            at={time(startedAt)}
            detail={completedAt === null ? null : text.detail.worked(between(startedAt, completedAt))}
          />
        )}
        {isEnd && completedAt !== null && (
          <Step
            icon={END_ICONS[status]}
            tone={END_TONES[status]}
            label={text.statuses[status]}
            at={time(completedAt)}
            detail={status === 'succeeded' ? text.detail.stored(generation.outputs.length) : null}
          />
        )}
      </ol>
    </section>
  );
}

function Details({ generation }: { generation: Generation }) {
  const whole = useText();
  const text = whole.generations;
  const format = useFormat();
  const { effect, projectId, outputs } = generation;
  const expiresAt = outputs.find((output) => output.expiresAt != null)?.expiresAt ?? null;
  const rows: readonly (readonly [string, string | null])[] = [
    [text.detail.task, generation.taskType],
    [text.detail.workspace, text.filters.workspaces[generation.workspace]],
    [text.detail.effect, effect === null ? null : nameOf(whole, `effects.${effect.id}.name`)],
    [text.detail.project, projectId],
    [text.detail.expires, expiresAt === null ? null : format.day(expiresAt)],
  ];
  return (
    <section aria-labelledby="details">
      <h2 id="details">{text.detail.details}</h2>
      <dl className="pairs">
        {rows.map(([label, value]) =>
          value === null ? null : (
            <div className="pair" key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
      </dl>
    </section>
  );
}

/** What a generation cost and when what happened. */
export function GenerationFacts({ generation }: { generation: Generation }) {
  const text = useText().generations.detail;
  return (
    <aside className="aside" aria-label={text.details}>
      <Price generation={generation} />
      <CoinTrail generation={generation} />
      <Timeline generation={generation} />
      <Details generation={generation} />
    </aside>
  );
}
