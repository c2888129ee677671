import type { UsageOfDay } from '@atelier/contract/console';
import { TableHead } from '../../parts/table-head.tsx';
import { useFormat } from '../../parts/use-format.ts';
import { useText } from '../../text/use-text.ts';
import { roundUp } from './usage-figures.ts';

const WIDTH = 1160;
const TOP = 8;
const BOTTOM = 104;
/** The part of a day's width that its bar takes. */
const BAR = 0.8;

/** Coins by day as bars, and in numbers. */
export function UsageChart({ days }: { days: readonly UsageOfDay[] }) {
  const text = useText().usage;
  const format = useFormat();
  // Without a zone it is midnight of the browser's zone, so the day stays the same.
  const showDay = (day: string) => format.day(`${day}T00:00:00`);
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
        data-size="tall"
        viewBox={`0 0 ${WIDTH} 106`}
        preserveAspectRatio="none"
        role="img"
        aria-label={text.chart(showDay(first), showDay(last), format.number(most))}
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
            <title>{`${showDay(day)}: ${text.coins(format.number(coins))}`}</title>
          </rect>
        ))}
        <line className="axis" x1="0" x2={WIDTH} y1={BOTTOM} y2={BOTTOM} />
      </svg>
      <div className="axis-labels">
        <span>{showDay(first)}</span>
        <span>{showDay(last)}</span>
      </div>
      <details>
        <summary>{text.asTable}</summary>
        <table className="table" data-stack="lines" data-density="tight">
          <TableHead columns={[text.columns.day, { number: text.generations }, { number: text.columns.coins }]} />
          <tbody>
            {days
              .filter(({ coins }) => coins > 0)
              .map(({ day, coins, generations }) => (
                <tr key={day}>
                  <th scope="row">{showDay(day)}</th>
                  <td className="number" data-omit>
                    {format.number(generations)}
                  </td>
                  <td className="number">{format.number(coins)}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}
