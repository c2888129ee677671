/** A rectangle of an image, in pixels. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Copies a rectangle out of a larger one, `channels` bytes per pixel. */
export function cutBox(bytes: Buffer, options: { width: number; channels: number; box: Box }): Buffer {
  const { width, channels, box } = options;
  const out = Buffer.alloc(box.width * box.height * channels);
  for (let y = 0; y < box.height; y++) {
    const from = ((box.top + y) * width + box.left) * channels;
    bytes.copy(out, y * box.width * channels, from, from + box.width * channels);
  }
  return out;
}

/** Copies a rectangle back into a larger one. */
export function pasteBox(piece: Buffer, into: Buffer, options: { width: number; channels: number; box: Box }): void {
  const { width, channels, box } = options;
  for (let y = 0; y < box.height; y++) {
    const start = y * box.width * channels;
    piece.copy(into, ((box.top + y) * width + box.left) * channels, start, start + box.width * channels);
  }
}
