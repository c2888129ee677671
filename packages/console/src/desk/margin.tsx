import { useDeskText } from './use-desk-text.ts';

/** The share of the captured coins that is not cost; null if it cannot be known. */
export function marginOf(captured: number, cost: number | null): number | null {
  return cost === null || captured === 0 ? null : Math.round(((captured - cost) / captured) * 100);
}

export const showPercent = (percent: number): string => `${percent < 0 ? '−' : ''}${Math.abs(percent)} %`;

export function Margin({ captured, cost }: { captured: number; cost: number | null }) {
  const text = useDeskText().models;
  const percent = marginOf(captured, cost);
  if (percent === null) return <span className="quiet">–</span>;
  if (percent < 0) {
    return (
      <span className="loss">
        {showPercent(percent)} {text.belowCost}
      </span>
    );
  }
  return (
    <div className="metered">
      <span>{showPercent(percent)}</span>
      <meter
        className="meter"
        min={0}
        max={100}
        value={percent}
        aria-label={`${text.margin} ${showPercent(percent)}`}
      />
    </div>
  );
}
