import type { SolidModel } from './solid-model.ts';
import { KEY_LIGHT, unit, type Vector } from './studio.ts';

const MAP_SIDE = 768;
/** Half the width of the square that the shadow map covers. */
const MAP_REACH = 1.1;
const LOOKS_AT: Vector = [0, 0.5, 0];
const BIAS = 0.012;
const TAPS = 12;
const GROUND_SIDE = 128;
const GROUND_REACH = 1.4;
/** Parts higher than this above the ground hardly darken it. */
const CONTACT_HEIGHT = 0.16;

const RIGHT = unit([KEY_LIGHT[2], 0, -KEY_LIGHT[0]]);
const UP: Vector = [
  KEY_LIGHT[1] * RIGHT[2] - KEY_LIGHT[2] * RIGHT[1],
  KEY_LIGHT[2] * RIGHT[0] - KEY_LIGHT[0] * RIGHT[2],
  KEY_LIGHT[0] * RIGHT[1] - KEY_LIGHT[1] * RIGHT[0],
];
const DISC_X = Float64Array.from({ length: TAPS }, (_, tap) => Math.sqrt((tap + 0.5) / TAPS) * Math.cos(tap * 2.39996));
const DISC_Y = Float64Array.from({ length: TAPS }, (_, tap) => Math.sqrt((tap + 0.5) / TAPS) * Math.sin(tap * 2.39996));

export interface Shadows {
  /** The share of the key light that reaches a point; `spin` rotates the sample pattern. */
  keyLight(x: number, y: number, z: number, spin: number, onGround: boolean): number;
  /** The share of the sky visible from a point on the ground. */
  openSky(x: number, z: number): number;
}

/** The shadows of the model, rotated about its vertical axis. */
export function castShadows(model: SolidModel, turn: number): Shadows {
  const map = new Float32Array(MAP_SIDE * MAP_SIDE).fill(Number.NEGATIVE_INFINITY);
  const lowest = new Float32Array(GROUND_SIDE * GROUND_SIDE).fill(Number.POSITIVE_INFINITY);
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
  const toMap = (value: number) => ((value / MAP_REACH + 1) / 2) * MAP_SIDE;
  const toGround = (value: number) => ((value / GROUND_REACH + 1) / 2) * GROUND_SIDE;
  for (const { positions, corners } of model.parts) {
    const seen = new Float32Array(positions.length);
    const fallen = new Float32Array(positions.length);
    for (let at = 0; at < positions.length; at += 3) {
      const x = cos * positions[at]! + sin * positions[at + 2]!;
      const y = positions[at + 1]!;
      const z = cos * positions[at + 2]! - sin * positions[at]!;
      seen[at] = toMap(along(RIGHT, x, y, z));
      seen[at + 1] = toMap(along(UP, x, y, z));
      seen[at + 2] = along(KEY_LIGHT, x, y, z);
      fallen[at] = toGround(x);
      fallen[at + 1] = toGround(z);
      fallen[at + 2] = y;
    }
    fillNearest(seen, corners, MAP_SIDE, (cell, near) => {
      if (near > map[cell]!) map[cell] = near;
    });
    fillNearest(fallen, corners, GROUND_SIDE, (cell, height) => {
      if (height < lowest[cell]!) lowest[cell] = height;
    });
  }
  const cover = lowest.map((height) =>
    height === Number.POSITIVE_INFINITY ? 0 : Math.exp(-Math.max(0, height) / CONTACT_HEIGHT),
  );
  const [tight, wide] = [blurGround(cover, 2), blurGround(cover, 9)];

  // Mean blocker height and blocked share as plain variables rather than an object: this runs some ten million times
  // per image.
  let meanGap = 0;
  function blockedPart(u: number, v: number, near: number, radius: number, spin: number): number {
    const turnX = Math.cos(spin) * radius;
    const turnY = Math.sin(spin) * radius;
    let blocked = 0;
    let gap = 0;
    for (let tap = 0; tap < TAPS; tap++) {
      const column = Math.floor(u + DISC_X[tap]! * turnX - DISC_Y[tap]! * turnY);
      const row = Math.floor(v + DISC_X[tap]! * turnY + DISC_Y[tap]! * turnX);
      if (column < 0 || row < 0 || column >= MAP_SIDE || row >= MAP_SIDE) continue;
      const over = map[row * MAP_SIDE + column]! - near;
      if (over <= BIAS) continue;
      blocked += 1;
      gap += over;
    }
    meanGap = blocked === 0 ? 0 : gap / blocked;
    return blocked / TAPS;
  }

  return {
    keyLight(x, y, z, spin, onGround) {
      const u = toMap(along(RIGHT, x, y, z));
      const v = toMap(along(UP, x, y, z));
      const near = along(KEY_LIGHT, x, y, z);
      if (!onGround) return 1 - blockedPart(u, v, near, 7, spin);
      if (blockedPart(u, v, near, 52, spin) === 0) return 1;
      return 1 - blockedPart(u, v, near, 5 + Math.min(60, meanGap * 90), spin + 1);
    },
    openSky(x, z) {
      const [u, v] = [toGround(x) - 0.5, toGround(z) - 0.5];
      return (1 - 0.55 * sampleGround(tight, u, v)) * (1 - 0.5 * sampleGround(wide, u, v));
    },
  };
}

function along(axis: Vector, x: number, y: number, z: number): number {
  return axis[0] * (x - LOOKS_AT[0]) + axis[1] * (y - LOOKS_AT[1]) + axis[2] * (z - LOOKS_AT[2]);
}

function fillNearest(
  points: Float32Array,
  corners: Uint32Array,
  side: number,
  put: (cell: number, value: number) => void,
): void {
  for (let at = 0; at < corners.length; at += 3) {
    const [a, b, c] = [corners[at]! * 3, corners[at + 1]! * 3, corners[at + 2]! * 3];
    const [ax, ay, bx, by, cx, cy] = [
      points[a]!,
      points[a + 1]!,
      points[b]!,
      points[b + 1]!,
      points[c]!,
      points[c + 1]!,
    ];
    const area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
    if (area === 0) continue;
    const [right, bottom] = [
      Math.min(side - 1, Math.floor(Math.max(ax, bx, cx))),
      Math.min(side - 1, Math.floor(Math.max(ay, by, cy))),
    ];
    for (let row = Math.max(0, Math.floor(Math.min(ay, by, cy))); row <= bottom; row++) {
      for (let column = Math.max(0, Math.floor(Math.min(ax, bx, cx))); column <= right; column++) {
        const [x, y] = [column + 0.5, row + 0.5];
        const wa = ((bx - x) * (cy - y) - (by - y) * (cx - x)) / area;
        const wb = ((cx - x) * (ay - y) - (cy - y) * (ax - x)) / area;
        const wc = 1 - wa - wb;
        if (wa < 0 || wb < 0 || wc < 0) continue;
        put(row * side + column, wa * points[a + 2]! + wb * points[b + 2]! + wc * points[c + 2]!);
      }
    }
  }
}

function blurGround(values: Float32Array, radius: number): Float32Array {
  let from = values;
  for (let pass = 0; pass < 3; pass++) {
    for (const step of [1, GROUND_SIDE]) {
      const to = new Float32Array(from.length);
      for (let at = 0; at < from.length; at++) {
        const place = step === 1 ? at % GROUND_SIDE : Math.floor(at / GROUND_SIDE);
        for (let shift = -radius; shift <= radius; shift++) {
          if (place + shift >= 0 && place + shift < GROUND_SIDE) to[at]! += from[at + shift * step]!;
        }
        to[at]! /= 2 * radius + 1;
      }
      from = to;
    }
  }
  return from;
}

function sampleGround(values: Float32Array, u: number, v: number): number {
  if (u < 0 || v < 0 || u >= GROUND_SIDE - 1 || v >= GROUND_SIDE - 1) return 0;
  const [column, row] = [Math.floor(u), Math.floor(v)];
  const [fx, fy] = [u - column, v - row];
  const at = row * GROUND_SIDE + column;
  const upper = values[at]! * (1 - fx) + values[at + 1]! * fx;
  const lower = values[at + GROUND_SIDE]! * (1 - fx) + values[at + GROUND_SIDE + 1]! * fx;
  return upper * (1 - fy) + lower * fy;
}
