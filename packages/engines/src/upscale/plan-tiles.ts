import type { Box } from '../image/box.ts';

/** Rectangles of similar size that cover an image, none with a side longer than the limit. */
export function planTiles(size: { width: number; height: number }, maxSide: number): Box[] {
  return cutEvenly(size.height, maxSide).flatMap(([top, height]) =>
    cutEvenly(size.width, maxSide).map(([left, width]) => ({ left, top, width, height })),
  );
}

function cutEvenly(length: number, maxSide: number): Array<readonly [from: number, size: number]> {
  const count = Math.ceil(length / maxSide);
  return Array.from({ length: count }, (_, i) => {
    const from = Math.round((length * i) / count);
    return [from, Math.round((length * (i + 1)) / count) - from] as const;
  });
}
