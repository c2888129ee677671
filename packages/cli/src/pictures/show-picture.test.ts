import { deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { decodePng } from './decode-png.ts';
import { encodeSixel } from './encode-sixel.ts';
import { chooseProtocol, renderPicture } from './show-picture.ts';

function chunk(name: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(data.length);
  head.write(name, 4, 'latin1');
  return Buffer.concat([head, data, Buffer.alloc(4)]);
}

/** A PNG from rows that start with their filter. */
function png(width: number, height: number, type: number, rows: number[]): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  header.set([8, type, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from([1, 2, 3, 255, 0, 0])),
    chunk('IDAT', deflateSync(Buffer.from(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

test.each([
  ['no filter', [0, 1, 2, 3, 4, 5, 6]],
  ['left', [1, 1, 2, 3, 3, 3, 3]],
  ['up', [2, 1, 2, 3, 4, 5, 6]],
  ['average', [3, 1, 2, 3, 4, 4, 5]],
  ['Paeth', [4, 1, 2, 3, 3, 3, 3]],
])('rows with the filter %s', (_name, rows) => {
  expect([...decodePng(png(2, 1, 2, rows))!.rgba]).toEqual([1, 2, 3, 255, 4, 5, 6, 255]);
});

test('gray, palette and alpha', () => {
  expect([...decodePng(png(1, 1, 0, [0, 9]))!.rgba]).toEqual([9, 9, 9, 255]);
  expect([...decodePng(png(1, 1, 4, [0, 9, 7]))!.rgba]).toEqual([9, 9, 9, 7]);
  expect([...decodePng(png(1, 1, 3, [0, 1]))!.rgba]).toEqual([255, 0, 0, 255]);
  expect([...decodePng(png(1, 1, 6, [0, 1, 2, 3, 4]))!.rgba]).toEqual([1, 2, 3, 4]);
  expect(decodePng(Buffer.from('no picture'))).toBeNull();
});

test('sixels name their colors and leave transparent pixels empty', () => {
  const red = [255, 0, 0, 255];
  const picture = { width: 4, height: 1, rgba: Uint8Array.from([...red, ...red, ...red, 0, 0, 0, 0]) };
  expect(encodeSixel(picture)).toBe('\x1bP0;1q"1;1;4;1#180;2;100;0;0#180@@@?\x1b\\');
  const wide = { width: 8, height: 1, rgba: Uint8Array.from(Array.from({ length: 8 }, () => red).flat()) };
  expect(encodeSixel(wide)).toContain('#180!8@');
});

test('kitty and iTerm2 get the file, in chunks', () => {
  const file = png(1, 1, 0, [0, 9]);
  expect(renderPicture('kitty', file, 'image/png')).toMatch(/^\x1b_Ga=T,f=100,r=20,q=2,m=0;[A-Za-z0-9+/=]+\x1b\\$/);
  const large = renderPicture('kitty', Buffer.alloc(5_000), 'image/png')!;
  expect(
    large
      .split('\x1b\\')
      .filter(Boolean)
      .map((part) => /m=\d/.exec(part)?.[0]),
  ).toEqual(['m=1', 'm=0']);
  expect(renderPicture('iterm2', file, 'image/webp')).toContain(`size=${file.length}`);
  expect(renderPicture('kitty', file, 'image/webp')).toBeNull();
});

test('a pipe and a multiplexer get no picture unless it is asked for', () => {
  expect(chooseProtocol({ TERM: 'xterm-kitty' }, true)).toBe('kitty');
  expect(chooseProtocol({ TERM_PROGRAM: 'iTerm.app' }, true)).toBe('iterm2');
  expect(chooseProtocol({ TERM: 'foot' }, true)).toBe('sixel');
  expect(chooseProtocol({ TERM: 'xterm-256color' }, true)).toBe('none');
  expect(chooseProtocol({ TERM: 'xterm-kitty' }, false)).toBe('none');
  expect(chooseProtocol({ TERM: 'xterm-kitty', TMUX: '/tmp/tmux' }, true)).toBe('none');
  expect(chooseProtocol({}, false, 'sixel')).toBe('sixel');
});
