export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Stroke {
  readonly width: number;
  readonly points: readonly Point[];
}

/** Larger canvases fail in some browsers. The service scales a mask to its picture. */
const MAX_PIXELS = 16_000_000;

/** The size of the mask of a picture: the same, unless the picture is too large for a canvas. */
export function maskSize(picture: { width: number; height: number }): { width: number; height: number } {
  const scale = Math.min(1, Math.sqrt(MAX_PIXELS / (picture.width * picture.height)));
  return {
    width: Math.max(1, Math.floor(picture.width * scale)),
    height: Math.max(1, Math.floor(picture.height * scale)),
  };
}

/** Where a pointer is on the mask, whatever size the page shows it in. */
export function toMaskPoint(options: {
  pointer: { clientX: number; clientY: number };
  shown: { left: number; top: number; width: number; height: number };
  mask: { width: number; height: number };
}): Point {
  const { pointer, shown, mask } = options;
  return {
    x: ((pointer.clientX - shown.left) / shown.width) * mask.width,
    y: ((pointer.clientY - shown.top) / shown.height) * mask.height,
  };
}

type Brush = Pick<
  CanvasRenderingContext2D,
  'beginPath' | 'moveTo' | 'lineTo' | 'stroke' | 'lineWidth' | 'lineCap' | 'lineJoin' | 'strokeStyle'
>;

/** White is what changes. */
const CHANGED = 'white';

export function drawStrokes(context: Brush, strokes: readonly Stroke[]): void {
  context.lineCap = 'round';
  context.lineJoin = 'round';
  context.strokeStyle = CHANGED;
  for (const { width, points } of strokes) {
    const [first] = points;
    if (first === undefined) continue;
    context.lineWidth = width;
    context.beginPath();
    context.moveTo(first.x, first.y);
    // A single point is a line to itself, which a round cap draws as a dot.
    for (const point of points) context.lineTo(point.x, point.y);
    context.stroke();
  }
}
