export interface Segment {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export function formatSrt(segments: readonly Segment[]): string {
  return segments
    .map(
      ({ start, end, text }, index) =>
        `${index + 1}\n${clockOf(start, ',')} --> ${clockOf(end, ',')}\n${cueOf(text)}\n`,
    )
    .join('\n');
}

export function formatVtt(segments: readonly Segment[]): string {
  const cues = segments.map(
    ({ start, end, text }) => `${clockOf(start, '.')} --> ${clockOf(end, '.')}\n${escapeCue(cueOf(text))}\n`,
  );
  return `WEBVTT\n\n${cues.join('\n')}`;
}

/** A blank line would end the cue, an arrow would start another. */
function cueOf(text: string): string {
  return text
    .trim()
    .replace(/\s*\n\s*/g, ' ')
    .replaceAll('-->', '->');
}

function escapeCue(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function clockOf(seconds: number, point: ',' | '.'): string {
  const ms = Math.max(0, Math.round(seconds * 1000));
  const pad = (value: number, length = 2) => String(value).padStart(length, '0');
  const [hours, minutes] = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60];
  return `${pad(hours)}:${pad(minutes)}:${pad(Math.floor(ms / 1000) % 60)}${point}${pad(ms % 1000, 3)}`;
}
