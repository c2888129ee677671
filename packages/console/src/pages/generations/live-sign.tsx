import { Status } from '../../parts/status.tsx';
import { useText } from '../../text/use-text.ts';

/** Whether the page follows along. */
export function LiveSign({ isOpen }: { isOpen: boolean }) {
  const text = useText().generations;
  return (
    <span className="small quiet" role="status">
      <Status status={isOpen ? 'succeeded' : 'queued'} icon={isOpen ? 'pulse' : 'queued'}>
        {isOpen ? text.live : text.reconnecting}
      </Status>
    </span>
  );
}
