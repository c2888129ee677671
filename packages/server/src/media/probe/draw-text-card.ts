import { open } from 'node:fs/promises';
import { drawSvg } from './probe-image.ts';
import type { ProbeResult } from './probe-protocol.ts';
import { ProbeRefusal } from './probe-protocol.ts';

const SIDE_PIXELS = 512;
const MARGIN_PIXELS = 44;
const FONT_PIXELS = 21;
const LINE_PIXELS = 31;
const MAX_LINES = 14;
/** Widths of the fonts' average characters, so that a line fills the card and does not leave it. */
const PROSE_COLUMNS = 38;
const DATA_COLUMNS = 33;
/** A card shows the beginning; only a JSON document is read whole, to distinguish it from text. */
const MAX_CARD_BYTES = 16 * 1024;
const MAX_JSON_BYTES = 8 * 1024 * 1024;

/** A card with the first lines. Also decides whether text that looks like JSON is valid JSON. */
export async function drawTextCard({ path, mimeType }: { path: string; mimeType: string }): Promise<ProbeResult> {
  const wanted = mimeType === 'application/json' ? MAX_JSON_BYTES : MAX_CARD_BYTES;
  const { text, whole } = await readStart(path, wanted);
  if (text.trim() === '') throw new ProbeRefusal('The text is empty.');
  const data = mimeType === 'application/json' && whole ? parseJson(text) : undefined;
  const isData = data !== undefined;
  const shown = isData ? JSON.stringify(data, null, 2).slice(0, MAX_CARD_BYTES) : text.slice(0, MAX_CARD_BYTES);
  const lines = wrap(shown, isData ? DATA_COLUMNS : PROSE_COLUMNS);
  const picture = await drawSvg(card({ lines, isData }));
  return { answer: { readable: true, mimeType: isData ? 'application/json' : 'text/plain' }, picture };
}

async function readStart(path: string, maxBytes: number): Promise<{ text: string; whole: boolean }> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(
      Buffer.alloc(Math.min(size, maxBytes)),
      0,
      Math.min(size, maxBytes),
      0,
    );
    const decoder = new TextDecoder('utf-8', { fatal: true });
    return {
      text: decoder.decode(buffer.subarray(0, bytesRead), { stream: size > maxBytes }),
      whole: size <= maxBytes,
    };
  } catch {
    throw new ProbeRefusal('The text is not UTF-8.');
  } finally {
    await file.close();
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const paragraph of text.replaceAll('\t', '  ').split(/\r\n|\r|\n/)) {
    if (paragraph.trim() === '' && (lines.length === 0 || lines.at(-1) === '')) continue;
    const indent = paragraph.match(/^ */)![0].slice(0, 12);
    let line = indent;
    for (const word of paragraph
      .trim()
      .split(/ +/)
      .flatMap((long) => [...breakWord(long, columns - indent.length)])) {
      if (line.trim() !== '' && line.length + 1 + word.length > columns) {
        lines.push(line);
        line = indent;
      }
      line += line.trim() === '' ? word : ` ${word}`;
      if (lines.length > MAX_LINES) return lines;
    }
    lines.push(line);
    if (lines.length > MAX_LINES) return lines;
  }
  return lines;
}

function* breakWord(word: string, columns: number): Generator<string> {
  const letters = [...word];
  for (let at = 0; at === 0 || at < letters.length; at += columns) yield letters.slice(at, at + columns).join('');
}

function card({ lines, isData }: { lines: readonly string[]; isData: boolean }): string {
  const goesOn = lines.length > MAX_LINES;
  const rows = lines.slice(0, MAX_LINES).map((line, row) => {
    const y = MARGIN_PIXELS + FONT_PIXELS + row * LINE_PIXELS;
    return `<text x="${MARGIN_PIXELS}" y="${y}" xml:space="preserve">${escapeMarkup(line)}</text>`;
  });
  const font = isData ? 'DejaVu Sans Mono, monospace' : 'DejaVu Sans, sans-serif';
  const fade = goesOn ? `<rect x="6" y="${SIDE_PIXELS - 170}" width="100%" height="170" fill="url(#fade)"/>` : '';
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${SIDE_PIXELS}" height="${SIDE_PIXELS}">
    <defs>
      <linearGradient id="paper" x1="0" y1="0" x2="0" y2="1">
        <stop offset="0" stop-color="#fdfcf9"/><stop offset="1" stop-color="#f4f1ea"/>
      </linearGradient>
      <linearGradient id="fade" x1="0" y1="0" x2="0" y2="1">
        <stop offset="0" stop-color="#f6f3ed" stop-opacity="0"/><stop offset="0.9" stop-color="#f4f1ea"/>
      </linearGradient>
    </defs>
    <rect width="100%" height="100%" fill="url(#paper)"/>
    <rect width="6" height="100%" fill="${isData ? '#7aa8ff' : '#e0a458'}"/>
    <g font-family="${font}" font-size="${isData ? FONT_PIXELS - 0.5 : FONT_PIXELS}" fill="#2b2a33">${rows.join('')}</g>
    ${fade}
  </svg>`;
}

function escapeMarkup(line: string): string {
  return line
    .replace(/[\u0000-\u001f\u007f\ufffe\uffff]/g, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
