import { drawSvg } from './probe-image.ts';
import type { ProbeResult } from './probe-protocol.ts';

const WIDTH_PIXELS = 512;
const HEIGHT_PIXELS = 256;
const BARS = 72;
const BAR_PIXELS = 4;
const MARGIN_PIXELS = 20;
const TALLEST_PIXELS = 184;
/** Silence is a row of dots rather than nothing. */
const SHORTEST_PIXELS = 4;
/** Below this the sound is silence, and stretching it would show noise as music. */
const QUIETEST_PEAK = 0.02;

/** A picture of the loudness over time. The loudest bar reaches the full height, so quiet recordings show their shape. */
export async function drawWaveform(peaks: readonly number[]): Promise<ProbeResult> {
  const bars = toBars(peaks);
  const loudest = Math.max(QUIETEST_PEAK, ...bars);
  const step = (WIDTH_PIXELS - 2 * MARGIN_PIXELS - BAR_PIXELS) / (BARS - 1);
  const middle = HEIGHT_PIXELS / 2;
  const shapes = bars.map((peak, index) => {
    const height = Math.max(SHORTEST_PIXELS, (peak / loudest) * TALLEST_PIXELS);
    const x = MARGIN_PIXELS + index * step;
    return `<rect x="${x.toFixed(2)}" y="${(middle - height / 2).toFixed(2)}" width="${BAR_PIXELS}" height="${height.toFixed(2)}" rx="2"/>`;
  });
  const picture = await drawSvg(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH_PIXELS}" height="${HEIGHT_PIXELS}">
      <defs>
        <linearGradient id="ground" x1="0" y1="0" x2="1" y2="1">
          <stop offset="0" stop-color="#171b2e"/><stop offset="1" stop-color="#0d0f1a"/>
        </linearGradient>
        <linearGradient id="sound" gradientUnits="userSpaceOnUse" x1="0" y1="0" x2="${WIDTH_PIXELS}" y2="0">
          <stop offset="0" stop-color="#5eead4"/><stop offset="0.5" stop-color="#7aa8ff"/><stop offset="1" stop-color="#c58bff"/>
        </linearGradient>
      </defs>
      <rect width="100%" height="100%" fill="url(#ground)"/>
      <rect x="${MARGIN_PIXELS}" y="${middle - 0.5}" width="${WIDTH_PIXELS - 2 * MARGIN_PIXELS}" height="1" fill="#ffffff" opacity="0.12"/>
      <g fill="url(#sound)">${shapes.join('')}</g>
    </svg>`,
  );
  return { answer: { readable: true, width: WIDTH_PIXELS, height: HEIGHT_PIXELS }, picture };
}

/** Means of neighbouring peaks: the maximum of many neighbours would level every song to a block. */
function toBars(peaks: readonly number[]): number[] {
  return Array.from({ length: BARS }, (_, bar) => {
    const from = Math.floor((bar * peaks.length) / BARS);
    const part = peaks.slice(from, Math.max(from + 1, Math.floor(((bar + 1) * peaks.length) / BARS)));
    const mean = part.reduce((sum, peak) => sum + peak, 0) / Math.max(1, part.length);
    return Number.isFinite(mean) ? Math.min(1, Math.max(0, mean)) : 0;
  });
}
