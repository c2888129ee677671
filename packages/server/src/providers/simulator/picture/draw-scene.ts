import { randomStream } from '../render-request.ts';
import type { FrameSize } from './frame-size.ts';
import { type Palette, paletteFor } from './palette.ts';
import { wrapCaption } from './wrap-caption.ts';

export interface SceneOptions {
  readonly caption: string;
  readonly seed: string;
  readonly size: FrameSize;
  /** 0 to 1 through a moving scene. */
  readonly phase?: number;
  /** A round picture with nothing around it. */
  readonly cutout?: boolean;
}

const DESIGN_SIDE_PX = 512;
const RIDGE_STEPS = 56;
/** Where the sky reaches its lower colour. */
const HORIZON = 0.62;
const FONT = 'DejaVu Sans, Verdana, sans-serif';

/** An SVG landscape in colours chosen by the caption, with the caption and a watermark on it. */
export function drawScene({ caption, seed, size, phase = 0, cutout = false }: SceneOptions): string {
  const { widthPx, heightPx } = size;
  const palette = paletteFor(caption);
  const unit = Math.sqrt(widthPx * heightPx) / DESIGN_SIDE_PX;
  const whole = `width="${widthPx}" height="${heightPx}"`;
  const middleX = widthPx / 2;
  const middleY = heightPx / 2;
  const clip = `<clipPath id="clip"><circle cx="${middleX}" cy="${middleY}" r="${round(Math.min(middleX, middleY) * 0.97)}"/></clipPath>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${whole} viewBox="0 0 ${widthPx} ${heightPx}">`,
    `<defs>${verticalGradient('sky', { from: palette.skyTop, to: palette.skyBottom, end: HORIZON })}`,
    `${verticalGradient('shade', { from: palette.near, fromOpacity: 0, to: palette.near, toOpacity: 0.85 })}${cutout ? clip : ''}</defs>`,
    cutout ? '<g clip-path="url(#clip)">' : '<g>',
    `<rect ${whole} fill="url(#sky)"/>`,
    drawLandscape({ palette, seed, size, unit, phase }),
    `<rect y="${round(heightPx * 0.45)}" width="${widthPx}" height="${round(heightPx * 0.55)}" fill="url(#shade)"/>`,
    drawCaption({ caption, size, unit, centred: cutout }),
    drawMark({ size, unit, centred: cutout }),
    '</g></svg>',
  ].join('');
}

interface LandscapeOptions {
  readonly palette: Palette;
  readonly seed: string;
  readonly size: FrameSize;
  readonly unit: number;
  readonly phase: number;
}

function drawLandscape({ palette, seed, size, unit, phase }: LandscapeOptions): string {
  const { widthPx, heightPx } = size;
  const random = randomStream(seed);
  const orbX = widthPx * (0.22 + 0.56 * random());
  const orbY = heightPx * (0.3 + 0.1 * random() - 0.06 * phase);
  const orbRadius = unit * (46 + 34 * random());
  const orbAt = `cx="${round(orbX)}" cy="${round(orbY)}" fill="${palette.orb}"`;
  const parts = [
    `<circle ${orbAt} r="${round(orbRadius * 1.55)}" opacity=".18"/>`,
    `<circle ${orbAt} r="${round(orbRadius * 1.25)}" opacity=".28"/>`,
    `<circle ${orbAt} r="${round(orbRadius)}"/>`,
  ];
  const sharpness = random() < 0.5 ? 0 : 1;
  const layers = [
    { colour: palette.far, top: 0.5, swing: 0.1, drift: 0.03 },
    { colour: palette.middle, top: 0.62, swing: 0.085, drift: 0.06 },
    { colour: palette.near, top: 0.76, swing: 0.06, drift: 0.11 },
  ];
  for (const { colour, top, swing, drift } of layers) {
    const ridge = ridgeLine({ random, sharpness });
    const points: string[] = [];
    for (let step = 0; step <= RIDGE_STEPS; step++) {
      const along = step / RIDGE_STEPS;
      const height = top + swing * ridge((along + drift * phase) * Math.max(1, widthPx / heightPx));
      points.push(`${round(along * widthPx)} ${round(height * heightPx)}`);
    }
    parts.push(`<path d="M0 ${heightPx}L${points.join(' ')}L${widthPx} ${heightPx}Z" fill="${colour}"/>`);
  }
  return parts.join('');
}

/** Rolling hills, or peaks when sharp: heights in about [-1, 1] along the scene. */
function ridgeLine({ random, sharpness }: { random: () => number; sharpness: 0 | 1 }): (along: number) => number {
  const waves = [
    { turns: 0.9 + 0.5 * random(), offset: random(), weight: 0.62 },
    { turns: 2.1 + 0.9 * random(), offset: random(), weight: 0.28 },
    { turns: 4.3 + 1.7 * random(), offset: random(), weight: 0.1 + 0.08 * sharpness },
  ];
  return (along) => {
    let height = 0;
    for (const { turns, offset, weight } of waves) {
      const turn = along * turns + offset;
      height += weight * (sharpness === 1 ? triangle(turn) : Math.sin(2 * Math.PI * turn));
    }
    return height;
  };
}

function triangle(turn: number): number {
  return 4 * Math.abs(turn - Math.floor(turn + 0.5)) - 1;
}

interface LetteringOptions {
  readonly size: FrameSize;
  readonly unit: number;
  readonly centred: boolean;
}

function drawCaption({ caption, size, unit, centred }: LetteringOptions & { readonly caption: string }): string {
  const fontPx = (caption.length > 60 ? 26 : 34) * unit;
  const marginPx = 34 * unit;
  const widthPx = centred ? Math.min(size.widthPx, size.heightPx) * 0.6 : size.widthPx - 2 * marginPx;
  const lines = wrapCaption(caption, { lineEms: widthPx / fontPx, maxLines: centred ? 3 : 4 });
  const lineHeightPx = fontPx * 1.28;
  const bottomPx = size.heightPx - (centred ? 0.2 * size.heightPx : marginPx * 1.05);
  const x = round(centred ? size.widthPx / 2 : marginPx);
  const spans = lines.map((line, index) => {
    const y = bottomPx - (lines.length - 1 - index) * lineHeightPx;
    return `<tspan x="${x}" y="${round(y)}">${escapeXml(line)}</tspan>`;
  });
  const anchor = centred ? ' text-anchor="middle"' : '';
  return `<text font-family="${FONT}" font-weight="bold" font-size="${round(fontPx)}" fill="#fff"${anchor}>${spans.join('')}</text>`;
}

function drawMark({ size, unit, centred }: LetteringOptions): string {
  const fontPx = Math.max(8, 12 * unit);
  const widthPx = fontPx * 8.6;
  const heightPx = fontPx * 1.9;
  const insetPx = fontPx * 1.2;
  const x = centred ? (size.widthPx - widthPx) / 2 : size.widthPx - widthPx - insetPx;
  const y = centred ? size.heightPx * 0.12 : insetPx;
  return [
    `<rect x="${round(x)}" y="${round(y)}" width="${round(widthPx)}" height="${round(heightPx)}" rx="${round(heightPx / 2)}" opacity=".42"/>`,
    `<text font-family="${FONT}" font-weight="bold" font-size="${round(fontPx)}" letter-spacing="${round(fontPx * 0.08)}" fill="#fff"`,
    ` text-anchor="middle" x="${round(x + widthPx / 2)}" y="${round(y + heightPx * 0.69)}">SIMULATED</text>`,
  ].join('');
}

interface GradientOptions {
  readonly from: string;
  readonly fromOpacity?: number;
  readonly to: string;
  readonly toOpacity?: number;
  /** Share of the height after which the last colour stays. */
  readonly end?: number;
}

function verticalGradient(id: string, { from, fromOpacity = 1, to, toOpacity = 1, end = 1 }: GradientOptions): string {
  const first = `<stop offset="0" stop-color="${from}" stop-opacity="${fromOpacity}"/>`;
  const last = `<stop offset="1" stop-color="${to}" stop-opacity="${toOpacity}"/>`;
  return `<linearGradient id="${id}" x2="0" y2="${end}">${first}${last}</linearGradient>`;
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"']/gu, (character) => `&#${character.charCodeAt(0)};`);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
