import { expect, test } from 'vitest';
import { frameSize } from './frame-size.ts';

test.each([
  [undefined, 512, 512],
  ['1:1', 512, 512],
  ['16:9', 512, 288],
  ['9:16', 288, 512],
  ['3:2', 512, 342],
  ['100:1', 512, 128],
  ['0:5', 512, 512],
  ['5:0', 512, 512],
  ['auto', 512, 512],
  [7, 512, 512],
])('%j gives %i x %i', (aspectRatio, widthPx, heightPx) => {
  expect(frameSize(aspectRatio, { longestPx: 512 })).toEqual({ widthPx, heightPx });
});
