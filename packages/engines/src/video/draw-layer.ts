import type { LayerPlace } from './camera-moves.ts';

export interface Layer {
  /** RGB, or RGBA with premultiplied alpha. */
  readonly bytes: Buffer;
  readonly channels: 3 | 4;
  readonly width: number;
  readonly height: number;
}

/** Composites a layer over a frame of the same size with subpixel precision: whole pixels would make slow moves jitter. */
export function drawLayer(frame: Buffer, layer: Layer, place: LayerPlace): void {
  const { bytes, channels, width, height } = layer;
  const [middleX, middleY] = [(width - 1) / 2, (height - 1) / 2];
  const columns = new Int32Array(width);
  const parts = new Float32Array(width);
  for (let x = 0; x < width; x++) {
    const from = clamp(middleX + (x - middleX - place.dx * width) / place.zoom, width - 1);
    columns[x] = Math.min(width - 2, Math.floor(from));
    parts[x] = from - columns[x]!;
  }
  const stride = width * channels;
  for (let y = 0; y < height; y++) {
    const from = clamp(middleY + (y - middleY - place.dy * height) / place.zoom, height - 1);
    const row = Math.min(height - 2, Math.floor(from));
    const down = from - row;
    for (let x = 0; x < width; x++) {
      const right = parts[x]!;
      const at = row * stride + columns[x]! * channels;
      const [w11, w10] = [right * down, (1 - right) * down];
      const [w01, w00] = [right - w11, 1 - right - w10];
      const [b, c] = [at + channels, at + stride];
      const d = c + channels;
      let left = 0;
      if (channels === 4) {
        const alpha = bytes[at + 3]! * w00 + bytes[b + 3]! * w01 + bytes[c + 3]! * w10 + bytes[d + 3]! * w11;
        if (alpha === 0) continue;
        left = 1 - alpha / 255;
      }
      const to = (y * width + x) * 3;
      for (let i = 0; i < 3; i++) {
        const value = bytes[at + i]! * w00 + bytes[b + i]! * w01 + bytes[c + i]! * w10 + bytes[d + i]! * w11;
        frame[to + i] = value + frame[to + i]! * left + 0.5;
      }
    }
  }
}

function clamp(value: number, most: number): number {
  return Math.min(most, Math.max(0, value));
}
