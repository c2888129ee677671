import type { Contour, FlatShape } from '../mesh/solid-model.ts';

export type FillRule = 'nonzero' | 'evenodd';

/** Points closer than this, relative to the image's side, are merged; flatter corners are removed. */
const SAME_POINT = 1e-3;
const FLAT_CORNER = 1e-4;

/** Groups outlines into bodies and their holes. `size` is the side of the image. */
export function groupContours(contours: readonly Contour[], fillRule: FillRule, size: number): FlatShape[] {
  const clean = contours.map((contour) => cleanContour(contour, size)).filter((contour) => contour.length >= 6);
  const bodies: Array<{ outline: Contour; area: number; holes: Contour[] }> = [];
  const holes: Contour[] = [];
  for (const contour of clean) {
    const around = clean.filter((other) => other !== contour && holds(other, contour));
    const outside = fillRule === 'evenodd' ? around.length % 2 : sum(around.map(direction));
    const inside = fillRule === 'evenodd' ? (around.length + 1) % 2 : outside + direction(contour);
    if (outside === 0 && inside !== 0)
      bodies.push({ outline: contour, area: Math.abs(signedArea(contour)), holes: [] });
    else if (outside !== 0 && inside === 0) holes.push(contour);
  }
  const smallestFirst = [...bodies].sort((a, b) => a.area - b.area);
  for (const hole of holes) smallestFirst.find((body) => holds(body.outline, hole))?.holes.push(hole);
  return bodies.map(({ outline, holes: own }) => ({ outline, holes: own }));
}

/** Twice the area, positive when the points run anticlockwise in axes that point right and up. */
export function signedArea(contour: Contour): number {
  let area = 0;
  for (let at = 0; at < contour.length; at += 2) {
    const next = (at + 2) % contour.length;
    area += contour[at]! * contour[next + 1]! - contour[next]! * contour[at + 1]!;
  }
  return area;
}

/** Redundant points would make the caps and walls of an extrusion use different edges. */
function cleanContour(contour: Contour, size: number): Contour {
  let points = contour;
  for (let before = -1; before !== points.length && points.length >= 6; ) {
    before = points.length;
    const kept: number[] = [];
    for (let at = 0; at < points.length; at += 2) {
      const [x, y] = [points[at]!, points[at + 1]!];
      const [lastX, lastY] =
        kept.length > 0
          ? [kept[kept.length - 2]!, kept[kept.length - 1]!]
          : [points[points.length - 2]!, points[points.length - 1]!];
      const next = (at + 2) % points.length;
      const [toX, toY] = [x - lastX, y - lastY];
      const [onX, onY] = [points[next]! - x, points[next + 1]! - y];
      const long = Math.hypot(toX, toY);
      if (long < SAME_POINT * size) continue;
      const turn = Math.abs(toX * onY - toY * onX) / (long * (Math.hypot(onX, onY) || 1));
      if (turn < FLAT_CORNER) continue;
      kept.push(x, y);
    }
    points = kept;
  }
  return points;
}

function direction(contour: Contour): number {
  return Math.sign(signedArea(contour));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Decided by the majority of the inner outline's points, because outlines may touch. */
function holds(outer: Contour, inner: Contour): boolean {
  if (Math.abs(signedArea(outer)) <= Math.abs(signedArea(inner))) return false;
  let votes = 0;
  for (let at = 0; at < inner.length; at += 2) votes += containsPoint(outer, inner[at]!, inner[at + 1]!) ? 1 : -1;
  return votes > 0;
}

export function containsPoint(contour: Contour, x: number, y: number): boolean {
  let inside = false;
  for (let at = 0, last = contour.length - 2; at < contour.length; last = at, at += 2) {
    const [ax, ay, bx, by] = [contour[at]!, contour[at + 1]!, contour[last]!, contour[last + 1]!];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside;
  }
  return inside;
}

const NUMBERS_PER_COMMAND: Readonly<Record<string, number>> = {
  m: 2,
  l: 2,
  h: 1,
  v: 1,
  c: 6,
  s: 4,
  q: 4,
  t: 2,
  a: 7,
  z: 0,
};
const FLAG_PLACES = [3, 4];

interface Pen {
  x: number;
  y: number;
  startX: number;
  startY: number;
  /** The last control point, for the smooth commands. */
  controlX: number;
  controlY: number;
  contour: number[];
}

/** The outlines that SVG path data draws, with curves as short lines. `stepsPerCurve` says how short. */
export function flattenPath(data: string, stepsPerCurve: number): Contour[] {
  const contours: Contour[] = [];
  const pen: Pen = { x: 0, y: 0, startX: 0, startY: 0, controlX: 0, controlY: 0, contour: [] };
  let previous = '';
  for (const { command, values } of readCommands(data)) {
    const name = command.toLowerCase();
    const absolute = command === name ? relative(pen, name, values) : [...values];
    if (name === 'm') finish(pen, contours);
    draw({ pen, name, values: absolute, previous, stepsPerCurve });
    if (name === 'z') finish(pen, contours);
    previous = name;
  }
  finish(pen, contours);
  return contours;
}

function draw(options: { pen: Pen; name: string; values: number[]; previous: string; stepsPerCurve: number }): void {
  const { pen, name, values, previous, stepsPerCurve } = options;
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0] = values;
  if (name === 'm') {
    [pen.startX, pen.startY] = [a, b];
    moveTo(pen, a, b);
  } else if (name === 'l') moveTo(pen, a, b);
  else if (name === 'h') moveTo(pen, a, pen.y);
  else if (name === 'v') moveTo(pen, pen.x, a);
  else if (name === 'c') cubic(pen, [a, b, c, d, e, f], stepsPerCurve);
  else if (name === 's') {
    const smooth = previous === 'c' || previous === 's';
    const first = smooth ? [2 * pen.x - pen.controlX, 2 * pen.y - pen.controlY] : [pen.x, pen.y];
    cubic(pen, [first[0]!, first[1]!, a, b, c, d], stepsPerCurve);
  } else if (name === 'q') quadratic(pen, [a, b, c, d], stepsPerCurve);
  else if (name === 't') {
    const smooth = previous === 'q' || previous === 't';
    const control = smooth ? [2 * pen.x - pen.controlX, 2 * pen.y - pen.controlY] : [pen.x, pen.y];
    quadratic(pen, [control[0]!, control[1]!, a, b], stepsPerCurve);
  } else if (name === 'a')
    arc(pen, { rx: a, ry: b, turn: c, large: d !== 0, sweep: e !== 0, x: f, y: g }, stepsPerCurve);
  else [pen.x, pen.y] = [pen.startX, pen.startY];
}

function finish(pen: Pen, contours: Contour[]): void {
  if (pen.contour.length >= 6) contours.push(pen.contour);
  pen.contour = [];
}

function moveTo(pen: Pen, x: number, y: number): void {
  if (pen.contour.length === 0 && (pen.x !== x || pen.y !== y) && (pen.startX !== x || pen.startY !== y)) {
    pen.contour.push(pen.x, pen.y);
  }
  pen.contour.push(x, y);
  [pen.x, pen.y, pen.controlX, pen.controlY] = [x, y, x, y];
}

function cubic(
  pen: Pen,
  [x1, y1, x2, y2, x, y]: [number, number, number, number, number, number],
  steps: number,
): void {
  const { x: x0, y: y0 } = pen;
  for (let step = 1; step <= steps; step++) {
    const t = step / steps;
    const [p, q, r, s] = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t ** 3];
    moveTo(pen, p * x0 + q * x1 + r * x2 + s * x, p * y0 + q * y1 + r * y2 + s * y);
  }
  [pen.x, pen.y, pen.controlX, pen.controlY] = [x, y, x2, y2];
}

function quadratic(pen: Pen, [x1, y1, x, y]: [number, number, number, number], steps: number): void {
  const { x: x0, y: y0 } = pen;
  for (let step = 1; step <= steps; step++) {
    const t = step / steps;
    const [p, q, r] = [(1 - t) ** 2, 2 * t * (1 - t), t * t];
    moveTo(pen, p * x0 + q * x1 + r * x, p * y0 + q * y1 + r * y);
  }
  [pen.x, pen.y, pen.controlX, pen.controlY] = [x, y, x1, y1];
}

interface Arc {
  rx: number;
  ry: number;
  turn: number;
  large: boolean;
  sweep: boolean;
  x: number;
  y: number;
}

/** From end points to a centre, as the SVG specification's implementation notes derive it. */
function arc(pen: Pen, { rx, ry, turn, large, sweep, x, y }: Arc, steps: number): void {
  const { x: x0, y: y0 } = pen;
  let [width, height] = [Math.abs(rx), Math.abs(ry)];
  if (width === 0 || height === 0) {
    moveTo(pen, x, y);
    return;
  }
  const [cos, sin] = [Math.cos((turn * Math.PI) / 180), Math.sin((turn * Math.PI) / 180)];
  const [halfX, halfY] = [(x0 - x) / 2, (y0 - y) / 2];
  const [px, py] = [cos * halfX + sin * halfY, -sin * halfX + cos * halfY];
  const tooSmall = Math.sqrt((px / width) ** 2 + (py / height) ** 2);
  if (tooSmall > 1) [width, height] = [width * tooSmall, height * tooSmall];
  const under = (px * height) ** 2 + (py * width) ** 2;
  const reach = Math.sqrt(Math.max(0, ((width * height) ** 2 - under) / (under || 1))) * (large === sweep ? -1 : 1);
  const [qx, qy] = [(reach * width * py) / height, (-reach * height * px) / width];
  const [centreX, centreY] = [cos * qx - sin * qy + (x0 + x) / 2, sin * qx + cos * qy + (y0 + y) / 2];
  const from = Math.atan2((py - qy) / height, (px - qx) / width);
  let angle = Math.atan2((-py - qy) / height, (-px - qx) / width) - from;
  if (sweep && angle < 0) angle += 2 * Math.PI;
  if (!sweep && angle > 0) angle -= 2 * Math.PI;
  const pieces = Math.max(2, Math.ceil((Math.abs(angle) / (Math.PI / 2)) * steps));
  for (let piece = 1; piece < pieces; piece++) {
    const at = from + (angle * piece) / pieces;
    const [ex, ey] = [width * Math.cos(at), height * Math.sin(at)];
    moveTo(pen, cos * ex - sin * ey + centreX, sin * ex + cos * ey + centreY);
  }
  moveTo(pen, x, y);
}

function relative(pen: Pen, name: string, values: readonly number[]): number[] {
  if (name === 'h') return values.map((value) => value + pen.x);
  if (name === 'v') return values.map((value) => value + pen.y);
  if (name === 'a') return values.map((value, at) => (at < 5 ? value : value + (at === 5 ? pen.x : pen.y)));
  return values.map((value, at) => value + (at % 2 === 0 ? pen.x : pen.y));
}

/** Splits path data into commands; repeated commands without a letter get it added. */
function* readCommands(data: string): Generator<{ command: string; values: number[] }> {
  for (const [, letter, rest] of data.matchAll(/([a-z])([^a-df-z]*)/gi)) {
    if (letter === undefined || rest === undefined) continue;
    const count = NUMBERS_PER_COMMAND[letter.toLowerCase()];
    if (count === undefined) throw new Error(`Unknown path command ${letter}.`);
    if (count === 0) {
      yield { command: letter, values: [] };
      continue;
    }
    const values = readNumbers(rest, letter.toLowerCase() === 'a');
    for (let at = 0; at + count <= values.length; at += count) {
      const repeated = letter === 'm' ? 'l' : letter === 'M' ? 'L' : letter;
      yield { command: at === 0 ? letter : repeated, values: values.slice(at, at + count) };
    }
  }
}

/** An arc's two flags may be written without a space: `a1 1 0 014 2`. */
function readNumbers(text: string, isArc: boolean): number[] {
  const values: number[] = [];
  const flag = /[\s,]*([01])/y;
  const number = /[\s,]*([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)/iy;
  for (let at = 0; at < text.length; ) {
    const pattern = isArc && FLAG_PLACES.includes(values.length % 7) ? flag : number;
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (!found) break;
    values.push(Number(found[1]));
    at = pattern.lastIndex;
  }
  return values;
}
