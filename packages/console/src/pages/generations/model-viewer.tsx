import type { Asset } from '@atelier/contract';
import { useEffect, useRef, useState } from 'react';
import { readFile } from '../../api/read-file.ts';
import { Icon } from '../../parts/icon.tsx';
import { useText } from '../../text/use-text.ts';

const MAX_BYTES = 100_000_000;
type State = 'idle' | 'loading' | 'shown' | 'failed';

/** A picture of the model. On demand the model itself, to turn and to zoom. */
export function ModelViewer({ output }: { output: Asset }) {
  const text = useText().generations.detail;
  const [state, setState] = useState<State>('idle');
  const canvas = useRef<HTMLCanvasElement>(null);
  const isOpen = state === 'loading' || state === 'shown';
  const { url } = output;
  useEffect(() => {
    const target = canvas.current;
    if (!isOpen || target === null) return undefined;
    const aborted = new AbortController();
    let drawing: Disposable | null = null;
    const show = async () => {
      // The library is larger than all pages together.
      const [{ drawModel }, { bytes }] = await Promise.all([
        import('./draw-model.ts'),
        readFile(url, { maxBytes: MAX_BYTES, signal: aborted.signal }),
      ]);
      const glb = await bytes.arrayBuffer();
      if (aborted.signal.aborted) return;
      const drawn = await drawModel(target, glb);
      if (aborted.signal.aborted) {
        drawn[Symbol.dispose]();
        return;
      }
      drawing = drawn;
      setState('shown');
      target.focus();
    };
    show().catch(() => {
      if (!aborted.signal.aborted) setState('failed');
    });
    return () => {
      aborted.abort();
      drawing?.[Symbol.dispose]();
    };
  }, [isOpen, url]);

  if (isOpen) {
    return (
      <div className="model-viewer" aria-busy={state === 'loading' || undefined}>
        <canvas ref={canvas} role="img" aria-label={text.modelTurns} tabIndex={0} />
        <p>{state === 'loading' ? text.modelLoading : text.modelTurns}</p>
      </div>
    );
  }
  return (
    <div className="player">
      <img src={output.thumbnailUrl} alt="" />
      {state === 'failed' ? (
        <p className="quiet" role="alert">
          {text.modelFailed}
        </p>
      ) : (
        <button className="button" type="button" onClick={() => setState('loading')}>
          <Icon name="cube" />
          {text.viewModel}
        </button>
      )}
    </div>
  );
}
