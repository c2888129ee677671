import type { Delivery } from '@atelier/contract/console';

export interface DeliveryFigures {
  readonly all: number;
  readonly delivered: number;
  readonly medianMs: number | null;
  readonly p95Ms: number | null;
}

/** The value below which this part of the sorted values lies. */
function quantile(sorted: readonly number[], part: number): number | null {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? null;
}

/** How the latest deliveries went. Times are those of responses. */
export function countDeliveries(deliveries: readonly Delivery[]): DeliveryFigures {
  const times = deliveries
    .flatMap(({ lastAttempt }) => (lastAttempt?.statusCode == null ? [] : [lastAttempt.latencyMs]))
    .toSorted((a, b) => a - b);
  return {
    all: deliveries.length,
    delivered: deliveries.filter(({ status }) => status === 'delivered').length,
    medianMs: quantile(times, 0.5),
    p95Ms: quantile(times, 0.95),
  };
}
