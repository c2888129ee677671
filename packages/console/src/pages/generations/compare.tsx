import type { Asset } from '@atelier/contract';
import { useRef } from 'react';
import { Icon } from '../../parts/icon.tsx';
import { useText } from '../../text/use-text.ts';

/** Before and after in one frame. A range input moves the line, so the keyboard does too. */
export function Compare({ before, after }: { before: Asset; after: Asset }) {
  const text = useText().generations.compare;
  const frame = useRef<HTMLDivElement>(null);
  const size = { width: after.width ?? undefined, height: after.height ?? undefined };
  return (
    <div className="compare" ref={frame}>
      <img src={before.url} {...size} alt={text.before} />
      <img src={after.url} {...size} alt={text.after} />
      <span className="before">{text.before}</span>
      <span className="after">{text.after}</span>
      <span className="handle">
        <Icon name="slide" />
      </span>
      <input
        type="range"
        min={0}
        max={100}
        defaultValue={50}
        aria-label={text.position}
        onInput={(event) => frame.current?.style.setProperty('--at', `${event.currentTarget.value}%`)}
      />
    </div>
  );
}
