import type { Generation, GenerationStatus } from '@atelier/contract';
import type { IconName } from '../../parts/icon.tsx';
import { Status } from '../../parts/status.tsx';
import { useText } from '../../text/use-text.ts';

const ICONS = {
  queued: 'queued',
  processing: 'processing',
  succeeded: 'succeeded',
  failed: 'failed',
  canceled: 'canceled',
} as const satisfies Record<GenerationStatus, IconName>;

/** The status with its progress or its place in the queue. */
export function GenerationState({ generation }: { generation: Generation }) {
  const text = useText().generations;
  const { status, progress, queuePosition } = generation;
  return (
    <Status status={status} icon={ICONS[status]}>
      {text.statuses[status]}
      {status === 'processing' && progress !== null && (
        <span className="count">{text.progress(String(Math.round(progress * 100)))}</span>
      )}
      {status === 'queued' && queuePosition !== null && <span className="count">{text.position(queuePosition)}</span>}
    </Status>
  );
}
