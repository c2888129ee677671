import { expect, test } from 'vitest';
import { smoothSkin } from './skin.ts';

const SIDE = 120;

/** Grey with blotches of 8 pixels across on top, and a hard edge in the middle. */
function makePicture() {
  const rgb = Buffer.alloc(SIDE * SIDE * 3);
  for (let i = 0; i < SIDE * SIDE; i++) {
    const [x, y] = [i % SIDE, Math.floor(i / SIDE)];
    const value = (x < SIDE / 2 ? 150 : 70) + 6 * Math.sin((x * Math.PI) / 4) * Math.sin((y * Math.PI) / 4);
    rgb.fill(Math.round(value), i * 3, i * 3 + 3);
  }
  return { rgb, width: SIDE, height: SIDE };
}

function spread(rgb: Buffer, from: { x: number; width: number }): number {
  let [sum, squares, count] = [0, 0, 0];
  for (let y = 20; y < 100; y++) {
    for (let x = from.x; x < from.x + from.width; x++) {
      const value = rgb[(y * SIDE + x) * 3]!;
      [sum, squares, count] = [sum + value, squares + value * value, count + 1];
    }
  }
  return Math.sqrt(squares / count - (sum / count) ** 2);
}

test('blotches fade on skin; edges and other areas stay', () => {
  const picture = makePicture();
  const mask = new Float32Array(SIDE * SIDE);
  for (let i = 0; i < mask.length; i++) mask[i] = i % SIDE < 100 ? 1 : 0;
  const out = smoothSkin({ picture, mask, eyeSpan: 100, strength: 0.85 });
  expect(spread(out, { x: 10, width: 30 })).toBeLessThan(0.55 * spread(picture.rgb, { x: 10, width: 30 }));
  const edge = (rgb: Buffer) => rgb[(60 * SIDE + 58) * 3]! - rgb[(60 * SIDE + 62) * 3]!;
  expect(edge(out)).toBeGreaterThan(0.85 * edge(picture.rgb));
  for (let y = 0; y < SIDE; y++) {
    const row = [(y * SIDE + 100) * 3, (y + 1) * SIDE * 3] as const;
    expect(out.subarray(...row).equals(picture.rgb.subarray(...row))).toBe(true);
  }
});
