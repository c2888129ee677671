import { describe, expect, it } from 'vitest';
import { printableExcerpt } from '../text.ts';

const excerpt = (bytes: Uint8Array | string, maxBytes = 64) =>
  printableExcerpt(Buffer.from(bytes as string), { maxBytes });

describe('printableExcerpt', () => {
  it('keeps text, line breaks and tabs', () => {
    expect(excerpt('Gr\u00fc\u00dfe \ud83c\udfa8\r\n\tok\rx')).toBe('Gr\u00fc\u00dfe \ud83c\udfa8\n\tok\nx');
  });

  it('replaces control, escape, bidi and unassigned characters', () => {
    expect(excerpt('a\u0000b\u001b[31mc\u202ed\u200be\ue000f\u0085')).toBe(
      'a\u00b7b\u00b7[31mc\u00b7d\u00b7e\u00b7f\u00b7',
    );
  });

  it('never exceeds its size, whatever the bytes', () => {
    for (const fill of [0x00, 0xff, 0xc3, 0xe2, 0xf0, 0x41]) {
      const text = printableExcerpt(Buffer.alloc(9_000, fill), { maxBytes: 4_096 });
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4_096);
      expect(text).not.toMatch(/[\u0000-\u0008\ufffd]/);
    }
  });

  it('omits a character cut in half', () => {
    expect(excerpt('abc\u20ac', 5)).toBe('abc');
    expect(excerpt('abc\u20ac', 6)).toBe('abc\u20ac');
  });
});
