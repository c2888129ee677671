import type { Generation } from '@atelier/contract';
import { Icon } from '../../parts/icon.tsx';
import { useText } from '../../text/use-text.ts';

/** Why a generation failed and what to do. Nothing for others. */
export function GenerationFailure({ generation: { error } }: { generation: Pick<Generation, 'error'> }) {
  const text = useText().generations.detail;
  if (error === null) return null;
  const { title, advice } = text.failures[error.code];
  return (
    <div className="notice" data-tone="danger">
      <Icon name="failed" />
      <div>
        <strong>{title}</strong>
        {error.message !== undefined && <p>{error.message}</p>}
        <p>{advice}</p>
        <p className="quiet">
          <code>{error.code}</code>
        </p>
      </div>
    </div>
  );
}
