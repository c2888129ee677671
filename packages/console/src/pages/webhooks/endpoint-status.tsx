import type { Endpoint } from '@atelier/contract/console';
import { Status } from '../../parts/status.tsx';
import { useFormat } from '../../parts/use-format.ts';
import { useText } from '../../text/use-text.ts';

export function EndpointStatus({ endpoint }: { endpoint: Endpoint }) {
  const text = useText().webhooks;
  const format = useFormat();
  if (endpoint.status === 'paused') {
    return (
      <Status status="held" icon="pause">
        {text.status.paused}
      </Status>
    );
  }
  return endpoint.failingSince === null ? (
    <Status status="succeeded" icon="succeeded">
      {text.status.active}
    </Status>
  ) : (
    <Status status="failed" icon="warning">
      {text.failing(format.moment(endpoint.failingSince))}
    </Status>
  );
}

/** "succeeded, failed": the common beginning of the types is left out. */
export const shortEvents = (events: readonly string[]): string =>
  events.map((type) => type.replace(/^generation\./, '')).join(', ');
