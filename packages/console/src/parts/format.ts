const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Farther away, the day says more than the distance. */
const NEAR_MS = 14 * DAY_MS;

export interface Format {
  number(value: number): string;
  /** "$10.00", from the smallest unit of the currency. */
  price(amount: number, currency: string): string;
  /** "14 Nov", with the year unless it is this one. */
  day(at: string): string;
  /** "18:42:13". */
  clock(at: string): string;
  /** "18:42:13.066". */
  exactClock(at: string): string;
  /** The clock today, the day otherwise. */
  moment(at: string): string;
  /** Day and clock, for titles and details. */
  full(at: string): string;
  /** "12 seconds ago", "in 9 days"; the day if it is more than two weeks away. */
  near(at: string): string;
  /** "3.5 s", "4 min". */
  span(ms: number): string;
  /** "362 KB". */
  bytes(count: number): string;
  monthName(): string;
}

/** Numbers and times in a language. `now` is a function, because a page stays open for long. */
export function createFormat(locale: string, now: () => number = Date.now): Format {
  const number = new Intl.NumberFormat(locale);
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' });
  const format = (options: Intl.DateTimeFormatOptions) => {
    const formatter = new Intl.DateTimeFormat(locale, options);
    return (at: string) => formatter.format(new Date(at));
  };
  const dayOfYear = format({ day: 'numeric', month: 'short' });
  const dayAndYear = format({ day: 'numeric', month: 'short', year: 'numeric' });
  const clock = format({ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });
  const exact = format({
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
    hourCycle: 'h23',
  });
  const full = format({ dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' });
  const day = (at: string) =>
    new Date(at).getFullYear() === new Date(now()).getFullYear() ? dayOfYear(at) : dayAndYear(at);

  return {
    number: (value) => number.format(value),
    price(amount, currency) {
      const money = new Intl.NumberFormat(locale, { style: 'currency', currency });
      return money.format(amount / 10 ** (money.resolvedOptions().maximumFractionDigits ?? 0));
    },
    day,
    clock,
    exactClock: exact,
    moment: (at) => (dayAndYear(at) === dayAndYear(new Date(now()).toISOString()) ? clock(at) : day(at)),
    full,
    near(at) {
      const offMs = Date.parse(at) - now();
      const away = Math.abs(offMs);
      if (away < MINUTE_MS) return relative.format(Math.round(offMs / 1000), 'second');
      if (away < HOUR_MS) return relative.format(Math.round(offMs / MINUTE_MS), 'minute');
      if (away < DAY_MS) return relative.format(Math.round(offMs / HOUR_MS), 'hour');
      return away < NEAR_MS ? relative.format(Math.round(offMs / DAY_MS), 'day') : day(at);
    },
    span(ms) {
      if (ms < 1000) return `${number.format(Math.round(ms))} ms`;
      if (ms < MINUTE_MS) return `${number.format(Math.round(ms / 100) / 10)} s`;
      return ms < HOUR_MS ? `${Math.round(ms / MINUTE_MS)} min` : `${number.format(Math.round(ms / HOUR_MS))} h`;
    },
    bytes: (count) =>
      count < 1_000_000
        ? `${number.format(Math.ceil(count / 1000))} KB`
        : `${number.format(Math.round(count / 100_000) / 10)} MB`,
    monthName: () => new Intl.DateTimeFormat(locale, { month: 'long', timeZone: 'UTC' }).format(new Date(now())),
  };
}
