import type { ParamName } from '@atelier/contract';
import type { PriceLine } from '@atelier/contract/desk';

export { MAX_PRICE_COINS, PriceLine, PriceRule } from '@atelier/contract/desk';

/** The param that a line measures: `of`, or `duration` for seconds. */
export function measuredParam(line: PriceLine): ParamName | undefined {
  return line.of ?? (line.per === 'second' ? 'duration' : undefined);
}
