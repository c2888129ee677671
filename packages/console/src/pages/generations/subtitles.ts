export interface Cue {
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

const TIMES = /^((?:\d+:)?\d\d:\d\d\.\d{3})\s+-->\s+((?:\d+:)?\d\d:\d\d\.\d{3})/;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', nbsp: '\u00a0' };

/** The cues of a WebVTT file. Styles and positions are left out. */
export function parseVtt(vtt: string): Cue[] {
  const blocks = vtt.replaceAll('\r', '').split(/\n{2,}/);
  return blocks.flatMap((block) => {
    const lines = block.split('\n');
    const at = lines.findIndex((line) => TIMES.test(line));
    if (at === -1) return [];
    const [, from = '', to = ''] = TIMES.exec(lines[at]!)!;
    const text = lines
      .slice(at + 1)
      .join('\n')
      .replaceAll(/<[^>]*>/g, '')
      .replaceAll(/&(amp|lt|gt|nbsp);/g, (_, name: string) => ENTITIES[name]!)
      .trim();
    return text === '' ? [] : [{ from: shorten(from), to: shorten(to), text }];
  });
}

/** Without the hours of a short recording, and in tenths of a second. */
function shorten(time: string): string {
  return time.replace(/^00:(?=\d\d:)/, '').slice(0, -2);
}
