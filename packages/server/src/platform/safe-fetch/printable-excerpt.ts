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
