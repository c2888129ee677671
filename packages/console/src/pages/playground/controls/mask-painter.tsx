import type { Asset } from '@atelier/contract';
import { type PointerEvent, useEffect, useId, useRef, useState } from 'react';
import { Dialog } from '../../../parts/dialog.tsx';
import { useText } from '../../../text/use-text.ts';
import { drawStrokes, maskSize, type Stroke, toMaskPoint } from './mask-strokes.ts';

const DEFAULT_BRUSH = 8;
const MAX_BRUSH = 30;

/** The strokes as a black and white picture. */
function toFile(size: { width: number; height: number }, strokes: readonly Stroke[]): Promise<File> {
  const canvas = document.createElement('canvas');
  Object.assign(canvas, size);
  const context = canvas.getContext('2d');
  if (context === null) return Promise.reject(new Error('No canvas'));
  context.fillStyle = 'black';
  context.fillRect(0, 0, size.width, size.height);
  drawStrokes(context, strokes);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob === null) reject(new Error('No picture'));
      else resolve(new File([blob], 'mask.png', { type: 'image/png' }));
    }, 'image/png');
  });
}

/** A picture to paint over: what is painted is what the model changes. */
export function MaskPainter(props: { picture: Asset; onMask(file: File): void; onClose(): void }) {
  const text = useText().playground.mask;
  const brushId = useId();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [strokes, setStrokes] = useState<readonly Stroke[]>([]);
  const [brush, setBrush] = useState(DEFAULT_BRUSH);
  const { picture } = props;
  const size = maskSize({ width: picture.width ?? 1, height: picture.height ?? 1 });

  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (context == null) return;
    context.clearRect(0, 0, size.width, size.height);
    drawStrokes(context, strokes);
  }, [strokes, size.width, size.height]);

  const pointOf = (event: PointerEvent<HTMLCanvasElement>) =>
    toMaskPoint({ pointer: event, shown: event.currentTarget.getBoundingClientRect(), mask: size });
  const begin = (event: PointerEvent<HTMLCanvasElement>) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const point = pointOf(event);
    // The brush is a share of the picture, so that it looks the same on every size.
    const width = (brush / 100) * Math.max(size.width, size.height);
    setStrokes((before) => [...before, { width, points: [point] }]);
  };
  const extend = (event: PointerEvent<HTMLCanvasElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const point = pointOf(event);
    setStrokes((before) => {
      const last = before.at(-1);
      return last === undefined ? before : [...before.slice(0, -1), { ...last, points: [...last.points, point] }];
    });
  };

  return (
    <Dialog
      title={text.title}
      description={text.description}
      action={text.use}
      actionDisabled={strokes.length === 0}
      onSubmit={() => void toFile(size, strokes).then(props.onMask)}
      onClose={props.onClose}
    >
      <div className="painter">
        <img src={picture.url} width={size.width} height={size.height} alt={text.picture} />
        <canvas
          ref={canvas}
          width={size.width}
          height={size.height}
          role="img"
          aria-label={text.canvas}
          onPointerDown={begin}
          onPointerMove={extend}
        />
      </div>
      <div className="inline">
        <label htmlFor={brushId}>{text.brush}</label>
        <input
          className="slider"
          id={brushId}
          type="range"
          min={1}
          max={MAX_BRUSH}
          value={brush}
          onChange={(event) => setBrush(Number(event.target.value))}
        />
        <button
          className="button"
          data-size="small"
          type="button"
          disabled={strokes.length === 0}
          onClick={() => setStrokes(strokes.slice(0, -1))}
        >
          {text.undo}
        </button>
        <button
          className="button"
          data-size="small"
          type="button"
          disabled={strokes.length === 0}
          onClick={() => setStrokes([])}
        >
          {text.clear}
        </button>
      </div>
    </Dialog>
  );
}
