/** The length of a text as clients count it: an emoji outside the basic plane is one character, not two. */
export function countCodePoints(text: string): number {
  let pairs = 0;
  for (let at = 0; at + 1 < text.length; at += 1) {
    if (isHigh(text.charCodeAt(at)) && isLow(text.charCodeAt(at + 1))) {
      pairs += 1;
      at += 1;
    }
  }
  return text.length - pairs;
}

const isHigh = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff;

const REPLACEMENT = '\u00b7';

/** The start of a body as text that is safe to store and show: no control, bidi or unassigned characters. */
export function printableExcerpt(bytes: Uint8Array, options: { maxBytes: number }): string {
  // `stream` omits a character that the cut left incomplete.
  const text = new TextDecoder().decode(bytes.subarray(0, options.maxBytes), { stream: true });
  const printable = text.replace(/\r\n?/g, '\n').replace(/[^\P{C}\n\t]|\ufffd/gu, REPLACEMENT);
  // The replacement can be longer than the original, so the limit is applied again.
  const encoded = Buffer.from(printable);
  if (encoded.length <= options.maxBytes) return printable;
  return new TextDecoder().decode(encoded.subarray(0, options.maxBytes), { stream: true });
}

/** A text on one line, of at most so many characters. */
export function oneLine(text: string, maxChars: number): string {
  return text
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, maxChars);
}
