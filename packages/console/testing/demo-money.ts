import type { Budget, Checkout, CoinPackages, LedgerRow, Usage } from '@atelier/contract/console';
import { ago, DAY, generations, idOf, keys, MINUTE } from './demo-data.ts';

/** Each generation of the demo: a hold, then a charge or a release. */
const movements = generations.flatMap((generation): Omit<LedgerRow, 'id' | 'availableAfter'>[] => {
  const { id, modelName, projectId, coinsQuoted, coinsCharged } = generation;
  const of = { generationId: id, modelName, projectId, reference: null };
  const hold = {
    ...of,
    createdAt: generation.createdAt,
    kind: 'hold' as const,
    availableChange: -coinsQuoted,
    heldChange: coinsQuoted,
  };
  if (coinsCharged === null || generation.completedAt === null) return [hold];
  const isCharged = coinsCharged > 0;
  const end = {
    ...of,
    createdAt: generation.completedAt,
    kind: isCharged ? ('capture' as const) : ('release' as const),
    availableChange: isCharged ? 0 : coinsQuoted,
    heldChange: -coinsQuoted,
  };
  return [end, hold];
});

const byOperator = { heldChange: 0, generationId: null, modelName: null, projectId: null };

const ordered = [
  ...movements,
  { ...byOperator, createdAt: ago(3 * DAY), kind: 'adjust' as const, availableChange: -120, reference: null },
  {
    ...byOperator,
    createdAt: ago(12 * DAY + 5 * MINUTE),
    kind: 'grant' as const,
    availableChange: 12_600,
    reference: 'Invoice 2026-1107',
  },
];

let available = 12_476;
export const ledger: LedgerRow[] = ordered.map((movement, n) => {
  const row = { id: 81_300 - n, ...movement, availableAfter: available };
  available -= movement.availableChange;
  return row;
});

const days = Array.from({ length: 26 }, (_, n) => ({
  day: ago((25 - n) * DAY).slice(0, 10),
  coins: 180 + ((n * 7_919) % 640) - (n % 7 > 4 ? 150 : 0),
  generations: 40 + ((n * 37) % 90),
}));
const total = {
  coins: days.reduce((sum, { coins }) => sum + coins, 0),
  generations: days.reduce((sum, each) => sum + each.generations, 0),
};
const part = (share: number) => ({
  coins: Math.round(total.coins * share),
  generations: Math.round(total.generations * share),
});

export const usage: Usage = {
  from: days[0]!.day,
  to: days.at(-1)!.day,
  total,
  days,
  models: [
    { id: 'landscape-painter', name: 'Landscape painter', ...part(0.52) },
    { id: 'aurora', name: 'Aurora', ...part(0.31) },
    { id: 'migan-erase', name: 'MI-GAN eraser', ...part(0.12) },
  ],
  keys: [
    { id: keys[0]!.id, name: keys[0]!.name, ...part(0.61) },
    { id: keys[1]!.id, name: keys[1]!.name, ...part(0.3) },
    { id: null, name: null, ...part(0.09) },
  ],
  projects: [
    { id: 'spring-catalogue', name: null, ...part(0.7) },
    { id: null, name: null, ...part(0.2) },
    { id: idOf(700), name: null, ...part(0.1) },
  ],
  isComplete: true,
};

const budget = { alertPercents: [50, 80, 100], alertedPercent: null, createdAt: ago(12 * DAY) };

export const budgets: Budget[] = [
  { ...budget, id: idOf(720), projectId: null, coins: 5_000, spentCoins: 1_240 },
  { ...budget, id: idOf(721), projectId: 'autumn-lookbook', coins: 2_000, spentCoins: 2_310, alertedPercent: 100 },
  { ...budget, id: idOf(722), projectId: 'spring-catalogue', coins: 8_000, spentCoins: 6_870, alertedPercent: 80 },
];

export const packages: CoinPackages = {
  driver: 'stripe',
  currency: 'usd',
  packages: [
    { id: '1000-1000', amount: 1_000, coins: 1_000 },
    { id: '4500-5000', amount: 4_500, coins: 5_000 },
    { id: '17500-20000', amount: 17_500, coins: 20_000 },
  ],
  contact: null,
};
export const MANUAL: CoinPackages = {
  driver: 'manual',
  currency: 'usd',
  packages: [],
  contact: 'billing@northlight.example',
};

export const OPEN_PURCHASE = idOf(800);
export const PAID_PURCHASE = idOf(801);

/** A purchase whose status depends on its id. */
export const purchase = (id: string): Checkout => ({
  id,
  status: id === OPEN_PURCHASE ? 'open' : id === PAID_PURCHASE ? 'paid' : 'expired',
  amount: 4_500,
  currency: 'usd',
  coins: 5_000,
  createdAt: generations[0]!.createdAt,
});
