import type { Delivery } from '@atelier/contract/console';
import { Status } from '../../parts/status.tsx';
import { useFormat } from '../../parts/use-format.ts';
import { useText } from '../../text/use-text.ts';

/** The status of a delivery, with what comes next. */
export function DeliveryState({ delivery }: { delivery: Delivery }) {
  const text = useText().webhooks.deliveries;
  const format = useFormat();
  switch (delivery.status) {
    case 'delivered':
      return (
        <Status status="succeeded" icon="succeeded">
          {text.deliveredAt(delivery.attemptCount)}
        </Status>
      );
    case 'failed':
      return (
        <Status status="failed" icon="failed">
          {text.failedAfter(delivery.attemptCount)}
        </Status>
      );
    case 'pending':
      return (
        <Status status="pending" icon="clock">
          {delivery.attemptCount > 0 && delivery.nextAttemptAt !== null
            ? text.retry(format.near(delivery.nextAttemptAt))
            : text.sending}
        </Status>
      );
    default:
      return (
        <Status status="held" icon={delivery.status === 'held' ? 'pause' : 'canceled'}>
          {text.statuses[delivery.status]}
        </Status>
      );
  }
}
