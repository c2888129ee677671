const MAX_CAPTION_CHARS = 140;
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f\ufffe\uffff]+/gu;
const WIDE_FROM_CODE_POINT = 0x2e80;

/** Lines of at most `lineEms` of a bold sans face; what does not fit ends in an ellipsis. */
export function wrapCaption(text: string, { lineEms, maxLines }: { lineEms: number; maxLines: number }): string[] {
  const clean = text
    .slice(0, MAX_CAPTION_CHARS * 2)
    .toWellFormed()
    .replace(CONTROL_CHARACTERS, ' ');
  const characters = [...clean];
  let cut = characters.length > MAX_CAPTION_CHARS;
  const words = characters.slice(0, MAX_CAPTION_CHARS).join('').split(/\s+/u).filter(Boolean);
  const lines: string[] = [];
  let line = '';
  for (const piece of words.flatMap((word) => breakWord(word, lineEms))) {
    const joined = line === '' ? piece : `${line} ${piece}`;
    if (widthEms(joined) <= lineEms) {
      line = joined;
      continue;
    }
    lines.push(line);
    line = piece;
  }
  if (line !== '') lines.push(line);
  cut ||= lines.length > maxLines;
  const shown = lines.slice(0, maxLines);
  const last = shown.pop();
  if (last !== undefined) shown.push(cut ? endInEllipsis(last, lineEms) : last);
  return shown;
}

function endInEllipsis(line: string, lineEms: number): string {
  const kept = trimToWidth(line, lineEms - widthEms('…'));
  const space = kept.lastIndexOf(' ');
  return `${kept.length < line.length && space > 0 ? kept.slice(0, space) : kept}…`;
}

function breakWord(word: string, lineEms: number): string[] {
  const pieces: string[] = [];
  let rest = word;
  while (rest !== '') {
    const piece = trimToWidth(rest, lineEms);
    pieces.push(piece);
    rest = rest.slice(piece.length);
  }
  return pieces;
}

function trimToWidth(text: string, ems: number): string {
  let kept = '';
  let width = 0;
  for (const character of text) {
    width += widthEms(character);
    if (width > ems && kept !== '') break;
    kept += character;
  }
  return kept;
}

function widthEms(text: string): number {
  let width = 0;
  for (const character of text) {
    if ((character.codePointAt(0) ?? 0) >= WIDE_FROM_CODE_POINT) width += 1.1;
    else if (/[mwMW@%…]/u.test(character)) width += 1.02;
    else if (/[\p{Lu}]/u.test(character)) width += 0.78;
    else if (/[ijltf.,:;'!|()[\] ]/u.test(character)) width += 0.4;
    else width += 0.68;
  }
  return width;
}
