import type { Colour, Contour } from '../mesh/solid-model.ts';
import { type FillRule, flattenPath } from './contours.ts';

/** The icons are drawn on a square of this side. */
export const ICON_SIDE = 32;
const WHITE: Colour = [1, 1, 1];
/** SVG features that flat layers do not support. */
const UNFIT = /url\(|<(?:filter|mask|clipPath|g)\b|stroke=/;

export interface IconLayer {
  readonly contours: readonly Contour[];
  readonly fillRule: FillRule;
  readonly colour: Colour;
}

/** Whether a drawing is made of plain filled outlines only. */
export function isPlainIcon(svg: string): boolean {
  return !UNFIT.test(svg);
}

/** The drawing's layers from the bottom up, in axes that point right and up. */
export function readIcon(svg: string, stepsPerCurve: number): IconLayer[] {
  const layers: IconLayer[] = [];
  for (const [tag, name] of svg.matchAll(/<(path|circle|ellipse|rect)\b[^>]*>/g)) {
    const read = (attribute: string) => new RegExp(`\\s${attribute}="([^"]*)"`).exec(tag)?.[1];
    const fill = read('fill');
    if (fill === undefined || fill === 'none') continue;
    const data = name === 'path' ? (read('d') ?? '') : outlineOf(name!, (attribute) => Number(read(attribute) ?? 0));
    const move = readTransform(read('transform'));
    const opacity = Number(read('opacity') ?? 1);
    const below = layers.at(-1)?.colour ?? WHITE;
    const solid = readColour(fill);
    layers.push({
      contours: flattenPath(data, stepsPerCurve).map((contour) => upright(contour, move)),
      fillRule: read('fill-rule') === 'evenodd' ? 'evenodd' : 'nonzero',
      colour: [0, 1, 2].map((at) => solid[at]! * opacity + below[at]! * (1 - opacity)) as unknown as Colour,
    });
  }
  return layers;
}

type Transform = readonly [number, number, number, number, number, number];

function upright(contour: Contour, [a, b, c, d, e, f]: Transform): Contour {
  const moved: number[] = [];
  for (let at = 0; at < contour.length; at += 2) {
    const [x, y] = [contour[at]!, contour[at + 1]!];
    moved.push(a * x + c * y + e, ICON_SIDE - (b * x + d * y + f));
  }
  return moved;
}

function readTransform(text = ''): Transform {
  const [, name, list = ''] = /^(rotate|matrix)\(([^)]*)\)/.exec(text) ?? [];
  const values = list.split(/[\s,]+/).map(Number);
  if (name === 'matrix' && values.length === 6) return values as unknown as Transform;
  if (name !== 'rotate') return [1, 0, 0, 1, 0, 0];
  const [degrees = 0, x = 0, y = 0] = values;
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  return [cos, sin, -sin, cos, x - cos * x + sin * y, y - sin * x - cos * y];
}

function outlineOf(name: string, value: (attribute: string) => number): string {
  if (name === 'rect') {
    const [x, y, width, height] = [value('x'), value('y'), value('width'), value('height')];
    const [rx, ry] = [value('rx') || value('ry'), value('ry') || value('rx')];
    const corner = (dx: number, dy: number) => `a${rx} ${ry} 0 0 1 ${dx} ${dy}`;
    return `M${x + rx} ${y}h${width - 2 * rx}${corner(rx, ry)}v${height - 2 * ry}${corner(-rx, ry)}h${2 * rx - width}${corner(-rx, -ry)}v${2 * ry - height}${corner(rx, -ry)}z`;
  }
  const [rx, ry] = name === 'circle' ? [value('r'), value('r')] : [value('rx'), value('ry')];
  return `M${value('cx') - rx} ${value('cy')}a${rx} ${ry} 0 0 1 ${2 * rx} 0a${rx} ${ry} 0 0 1 ${-2 * rx} 0z`;
}

export function readColour(text: string): Colour {
  const named: Record<string, string> = { white: '#ffffff', black: '#000000', red: '#ff0000' };
  const digits = (named[text] ?? text).slice(1);
  const pairs = digits.length === 3 ? [...digits].map((digit) => digit + digit) : (digits.match(/../g) ?? []);
  const [red = 0, green = 0, blue = 0] = pairs.map((pair) => Number.parseInt(pair, 16) / 255);
  return [red, green, blue];
}
