import type { UsageOfDay } from '@atelier/contract/console';
import { useFormat } from '../../parts/use-format.ts';
import { useText } from '../../text/use-text.ts';
import { roundUp } from './usage-figures.ts';

const WIDTH = 1160;
const TOP = 8;
const BOTTOM = 104;
/** The part of a day's width that its bar takes. */
const BAR = 0.8;

/** Coins by day as bars. The table beside it says the same in numbers. */
export function UsageChart({ days }: { days: readonly UsageOfDay[] }) {
  const text = useText().usage;
  const format = useFormat();
  const most = Math.max(...days.map(({ coins }) => coins));
  const top = roundUp(most);
  const step = WIDTH / days.length;
  const heightOf = (coins: number) => ((BOTTOM - TOP) * coins) / top;
  const first = days[0]?.day ?? '';
  const last = days.at(-1)?.day ?? '';
  return (
    <figure>
      <div className="axis-labels">
        <span>{text.coins(format.number(top))}</span>
      </div>
      <svg
        className="chart"
        viewBox={`0 0 ${WIDTH} 106`}
        preserveAspectRatio="none"
        role="img"
        aria-label={text.chart(format.day(first), format.day(last), format.number(most))}
      >
        {[TOP, (TOP + BOTTOM) / 2].map((y) => (
          <line className="grid" key={y} x1="0" x2={WIDTH} y1={y} y2={y} />
        ))}
        {days.map(({ day, coins }, n) => (
          <rect
            className="bar-good"
            key={day}
            x={(n + (1 - BAR) / 2) * step}
            y={BOTTOM - heightOf(coins)}
            width={step * BAR}
            height={heightOf(coins)}
          >
            <title>{`${format.day(day)}: ${text.coins(format.number(coins))}`}</title>
          </rect>
        ))}
        <line className="axis" x1="0" x2={WIDTH} y1={BOTTOM} y2={BOTTOM} />
      </svg>
      <div className="axis-labels">
        <span>{format.day(first)}</span>
        <span>{format.day(last)}</span>
      </div>
    </figure>
  );
}
