import type { Overview } from '@atelier/contract/desk';
import { Status } from '../parts/status.tsx';
import { TableHead } from '../parts/table-head.tsx';
import { useFormat } from '../parts/use-format.ts';
import { DeskLink } from './desk-link.tsx';
import { useDeskText } from './use-desk-text.ts';

/** Beyond these, a worker's offers are counted. */
const SHOWN_OFFERS = 3;

export function Pools({ pools }: { pools: Overview['pools'] }) {
  const text = useDeskText().overview;
  const format = useFormat();
  return (
    <section aria-labelledby="pools">
      <div className="section-head">
        <h2 id="pools">{text.pools}</h2>
      </div>
      {pools.length === 0 ? (
        <p className="quiet">{text.emptyQueues}</p>
      ) : (
        <table className="table" data-density="tight">
          <TableHead
            columns={[text.pool, { number: text.queued }, { number: text.running }, { number: text.oldestColumn }]}
          />
          <tbody>
            {pools.map(({ pool, queued, waiting, processing, oldestSeconds }) => (
              <tr key={pool}>
                <th scope="row">{pool.replace(/^run-/, '')}</th>
                <td className="number">{format.number(queued + waiting)}</td>
                <td className="number">{format.number(processing)}</td>
                <td className="number">{oldestSeconds === null ? '–' : format.span(oldestSeconds * 1000)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

export function Workers({ workers }: { workers: Overview['workers'] }) {
  const text = useDeskText().overview;
  const format = useFormat();
  return (
    <section aria-labelledby="workers">
      <div className="section-head">
        <h2 id="workers">{text.workers}</h2>
      </div>
      {workers.length === 0 ? (
        <p className="quiet">{text.noWorkers}</p>
      ) : (
        <table className="table" data-density="tight" data-stack="lines">
          <TableHead columns={[text.worker, text.health, text.offers, { number: text.seen }]} />
          <tbody>
            {workers.map(({ worker, seenAt, targets, unavailable }) => (
              <tr key={worker}>
                <th scope="row" className="mono nowrap">
                  {worker}
                </th>
                <td>
                  {unavailable.length === 0 ? (
                    <Status status="succeeded" icon="succeeded">
                      {text.ready}
                    </Status>
                  ) : (
                    <Status status="pending" icon="warning">
                      {text.partly(format.number(unavailable.length))}
                    </Status>
                  )}
                </td>
                <td data-wide>
                  {targets.slice(0, SHOWN_OFFERS).join(', ')}
                  {targets.length > SHOWN_OFFERS && ` +${format.number(targets.length - SHOWN_OFFERS)}`}
                  {unavailable.map(({ kind, name, reason }) => (
                    <span className="sub" key={`${kind} ${name}`}>
                      {name}: {reason}
                    </span>
                  ))}
                </td>
                <td className="number nowrap">{format.near(seenAt)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

export function FailureCauses({ causes }: { causes: Overview['failures'] }) {
  const text = useDeskText().overview;
  const format = useFormat();
  return (
    <section className="section" aria-labelledby="failures">
      <div className="section-head">
        <h2 id="failures">{text.failures}</h2>
        <span className="beside">{text.failuresHint}</span>
        <DeskLink to="/failures">{text.allFailures}</DeskLink>
      </div>
      {causes.length === 0 ? (
        <p className="quiet">{text.noFailures}</p>
      ) : (
        <table className="table" data-stack="lines">
          <TableHead columns={[text.code, text.model, text.message, { number: text.count }, { number: text.last }]} />
          <tbody>
            {causes.map(({ code, modelId, message, count, lastAt }) => (
              <tr key={`${code} ${modelId}`}>
                <th scope="row" className="mono">
                  {code}
                </th>
                <td>
                  <DeskLink to={`/models/${modelId}`}>{modelId}</DeskLink>
                </td>
                <td data-wide className="mono message">
                  {message}
                </td>
                <td className="number">{format.number(count)}</td>
                <td className="number nowrap">{format.near(lastAt)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

export function StuckWork({ stuck }: { stuck: Overview['stuck'] }) {
  const text = useDeskText().overview;
  const format = useFormat();
  return (
    <section className="section" aria-labelledby="stuck">
      <div className="section-head">
        <h2 id="stuck">{text.stuck}</h2>
      </div>
      <table className="table" data-stack="lines" data-density="tight">
        <TableHead columns={[text.generation, text.model, text.why, { number: text.since }]} />
        <tbody>
          {stuck.map(({ generationId, accountId, modelId, reason, since }) => (
            <tr key={generationId}>
              <th scope="row" className="mono">
                <DeskLink to={`/accounts/${accountId}`}>{generationId}</DeskLink>
              </th>
              <td>{modelId}</td>
              <td>{text.reasons[reason]}</td>
              <td className="number nowrap">{format.near(since)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
