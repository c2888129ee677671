import type { ParamName, ParamValues } from '@atelier/contract';
import type { CatalogEffect, CatalogModel } from './catalog.ts';
import type { InputFacts } from './check-inputs.ts';
import { measureUnits, type Unit } from './measure-units.ts';
import type { PriceLine } from './price-rule.ts';

export interface Price {
  readonly coins: number;
  readonly coinsPerOutput: number;
  readonly outputs: number;
  /** The price lines of one output; whole coins that add up to `coinsPerOutput`. */
  readonly lines: ReadonlyArray<{ label: string; coins: number }>;
}

interface Charge {
  readonly label: string;
  /** May be a fraction. */
  readonly coins: number;
}

const DEFAULT_MINIMUM_UNITS = 1;
const AMOUNT = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });
/** Floating-point errors are far smaller than this, so they never raise a price. */
const ROUNDING_SLACK_COINS = 1e-6;

/** The price of a request with checked params: `params` includes the defaults. */
export function priceRequest(options: {
  model: CatalogModel;
  effect: CatalogEffect | null;
  params: ParamValues;
  found: ReadonlyMap<string, InputFacts>;
}): Price {
  const { model, effect, params, found } = options;
  const { perOutput, lines = [], roundUpTo = 1 } = model.price;
  const charges: Charge[] = perOutput > 0 ? [{ label: 'Base price', coins: perOutput }] : [];
  for (const line of lines) {
    if (!applies(line, params)) continue;
    const charge = chargeLine({ line, model, params, found });
    if (charge !== null) charges.push(charge);
  }
  if (effect !== null && effect.surchargeCoins > 0) charges.push({ label: 'Effect', coins: effect.surchargeCoins });
  const whole = toWholeCoins(charges, roundUpTo);
  const coinsPerOutput = whole.reduce((total, { coins }) => total + coins, 0);
  const outputs = typeof params.num_outputs === 'number' ? params.num_outputs : 1;
  return { coins: coinsPerOutput * outputs, coinsPerOutput, outputs, lines: whole };
}

function applies({ when = {} }: PriceLine, params: ParamValues): boolean {
  return Object.entries(when).every(([name, wanted]) => {
    const value = params[name as ParamName];
    return Array.isArray(wanted) ? wanted.some((each) => each === value) : wanted === value;
  });
}

function chargeLine(options: {
  line: PriceLine;
  model: CatalogModel;
  params: ParamValues;
  found: ReadonlyMap<string, InputFacts>;
}): Charge | null {
  const { line, model, params, found } = options;
  const { label, coins, per = 'output', minimum = DEFAULT_MINIMUM_UNITS } = line;
  if (per === 'output') return { label, coins };
  const measured = measureUnits({ line: { ...line, per }, model, params, found });
  if (measured === 'none') return null;
  const atLeast = measured === 'unknown' || measured < minimum;
  const units = atLeast ? minimum : measured;
  return { label: `${label}: ${atLeast ? 'at least ' : ''}${describeUnits(per, units)}`, coins: coins * units };
}

function describeUnits(per: Unit, units: number): string {
  const [amount, noun] =
    per === 'second' ? [units, 'second'] : per === 'megapixel' ? [units, 'megapixel'] : [units * 1_000, 'character'];
  const shown = AMOUNT.format(amount);
  return `${shown} ${noun}${shown === '1' ? '' : 's'}`;
}

/** Rounds the running sum up, so that lines are whole coins and add up to the price rounded once. */
function toWholeCoins(charges: readonly Charge[], roundUpTo: number): Price['lines'] {
  const lines: { label: string; coins: number }[] = [];
  let exact = 0;
  let total = 0;
  for (const { label, coins } of charges) {
    exact += coins;
    const next = Math.max(total, Math.ceil(exact - ROUNDING_SLACK_COINS));
    lines.push({ label, coins: next - total });
    total = next;
  }
  if (total === 0) {
    lines.push({ label: 'Smallest price', coins: 1 });
    total = 1;
  }
  const rounding = Math.ceil(total / roundUpTo) * roundUpTo - total;
  if (rounding > 0) lines.push({ label: `Rounded up to a multiple of ${roundUpTo} coins`, coins: rounding });
  return lines;
}
