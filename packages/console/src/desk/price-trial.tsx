import type { TriedPrice } from '@atelier/contract/desk';
import { useFormat } from '../parts/use-format.ts';
import { marginOf, showPercent } from './margin.tsx';
import { useDeskText } from './use-desk-text.ts';

/** What the newest generations would have cost. */
export function PriceTrial({ tried }: { tried: TriedPrice }) {
  const text = useDeskText().model;
  const format = useFormat();
  const signed = (value: number) => `${value > 0 ? '+' : value < 0 ? '−' : ''}${format.number(Math.abs(value))}`;
  const change = tried.newCoins - tried.capturedCoins;
  const margins = [marginOf(tried.capturedCoins, tried.costCoins), marginOf(tried.newCoins, tried.costCoins)] as const;
  if (tried.generations === 0) return <p className="quiet">{text.noGenerations}</p>;
  return (
    <div className="panel stack" role="status">
      <h3>{text.result}</h3>
      <p className="quiet">{text.since(format.number(tried.generations), format.full(tried.since ?? ''))}</p>
      <dl className="facts">
        <div>
          <dt>{text.was}</dt>
          <dd className="number">{format.number(tried.capturedCoins)}</dd>
        </div>
        <div>
          <dt>{text.would}</dt>
          <dd className="number">{format.number(tried.newCoins)}</dd>
        </div>
        <div>
          <dt>{text.difference}</dt>
          <dd className="number">
            {signed(change)}
            {tried.capturedCoins > 0 && ` (${signed(Math.round((change / tried.capturedCoins) * 100))} %)`}
          </dd>
        </div>
        <div>
          <dt>{text.affected}</dt>
          <dd className="number">{format.number(tried.accounts)}</dd>
        </div>
        <div>
          <dt>{text.marginWas}</dt>
          <dd>
            {margins[0] === null || margins[1] === null
              ? text.noMargin
              : text.margin(showPercent(margins[0]), showPercent(margins[1]))}
          </dd>
        </div>
      </dl>
      <p>
        {text.dearer(format.number(tried.dearer))}, {text.cheaper(format.number(tried.cheaper))},{' '}
        {text.same(format.number(tried.unchanged))}
        {tried.skipped > 0 && `, ${text.skipped(format.number(tried.skipped))}`}
      </p>
      {tried.largest.length > 0 && (
        <table className="table" data-density="tight">
          <caption>{text.largest}</caption>
          <tbody>
            {tried.largest.map(({ generationId, capturedCoins, newCoins }) => (
              <tr key={generationId}>
                <th scope="row" className="mono">
                  …{generationId.slice(-12)}
                </th>
                <td className="number">
                  {format.number(capturedCoins)} → {format.number(newCoins)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}
