import { describe, expect, test } from 'vitest';
import { EngineRefusal } from '../engine.ts';
import { type CameraMoveName, cameraMoves, easePart, type LayerPlace, readMove } from './camera-moves.ts';
import { drawLayer } from './layers.ts';

const PARTS = Array.from({ length: 101 }, (_, i) => i / 100);
const ROUNDING = 1e-9;

describe.each(Object.keys(cameraMoves) as CameraMoveName[])('%s', (name) => {
  test('never shows the edge of a layer', () => {
    for (const part of PARTS) {
      const { back, front } = cameraMoves[name](easePart(name, part));
      for (const { zoom, dx, dy } of [back, front].filter((each): each is LayerPlace => each !== null)) {
        expect(Math.max(Math.abs(dx), Math.abs(dy))).toBeLessThanOrEqual((zoom - 1) / 2 + ROUNDING);
      }
    }
  });
});

test('a layer is drawn at its position, also between pixels', () => {
  const layer = {
    bytes: Buffer.from([0, 0, 0, 100, 100, 100, 200, 200, 200, 0, 0, 0].flatMap((v) => [v])),
    channels: 3,
    width: 2,
    height: 2,
  } as const;
  const frame = Buffer.alloc(12);
  drawLayer(frame, layer, { zoom: 1, dx: 0, dy: 0 });
  expect([...frame]).toEqual([...layer.bytes]);
  drawLayer(frame, layer, { zoom: 1, dx: 0.25, dy: 0 });
  expect(frame[3]).toBe(50);
});

test('a layer with alpha shows the layer below', () => {
  const half = Buffer.from(Array(4).fill([100, 0, 0, 128]).flat());
  const frame = Buffer.alloc(12, 200);
  drawLayer(frame, { bytes: half, channels: 4, width: 2, height: 2 }, { zoom: 1, dx: 0, dy: 0 });
  expect([...frame.subarray(0, 3)]).toEqual([200, 100, 100]);
});

test('a prompt can name one camera move and nothing else', () => {
  expect(readMove('Slowly push in on the face')).toBe('push-in');
  expect(readMove('pan to the right')).toBe('drift-right');
  expect(() => readMove('make her smile')).toThrow(EngineRefusal);
  expect(() => readMove('zoom in, then zoom out')).toThrow(EngineRefusal);
});
