const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
const TIME = '\\d{2}:\\d{2}:\\d{2}';
const IMF_FIXDATE = new RegExp(`^${DAY}, \\d{2} ${MONTH} \\d{4} ${TIME} GMT$`);
const RFC_850 = new RegExp(`^[A-Z][a-z]+day, \\d{2}-${MONTH}-\\d{2} ${TIME} GMT$`);
const ASCTIME = new RegExp(`^${DAY} ${MONTH} [ \\d]\\d ${TIME} \\d{4}$`);

/** The three formats of RFC 9110 5.6.7, in unix seconds; null for anything else. */
export function parseHttpDate(text: string): number | null {
  const zoned = ASCTIME.test(text) ? `${text} GMT` : text;
  if (zoned === text && !IMF_FIXDATE.test(text) && !RFC_850.test(text)) return null;
  const ms = Date.parse(zoned);
  return Number.isNaN(ms) ? null : ms / 1000;
}
