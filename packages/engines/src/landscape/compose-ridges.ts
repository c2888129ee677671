import type { Noise } from './noise.ts';
import type { Matter, Ridge } from './paint-ridge.ts';
import type { LandscapePlan } from './plan-landscape.ts';
import {
  plantConifers,
  plantCrowns,
  raiseDunes,
  raiseHills,
  raiseMountains,
  type Skyline,
  type Stretch,
} from './raise-ridges.ts';

/** The snow line in summer, above the horizon, relative to the image's shorter side. */
const SUMMER_SNOW = 0.23;

interface Room {
  readonly plan: LandscapePlan;
  readonly width: number;
  readonly height: number;
  readonly size: number;
  readonly horizon: number;
  readonly noise: Noise;
  readonly seed: number;
}

export interface Composition {
  /** From the farthest to the nearest; those behind the water are mirrored in it. */
  readonly behind: readonly Ridge[];
  readonly before: readonly Ridge[];
  readonly shore: number | undefined;
}

/** The position of the ridges, for each kind of scene. */
export function composeRidges(room: Room): Composition {
  const { plan, height, size, horizon } = room;
  const shore = plan.water ? horizon + (plan.ground === 'sea' ? 0 : 0.02 * size) : undefined;
  const foot = shore ?? height;
  const composed = { mountains, hills, desert, forest, sea }[plan.ground](room, foot);
  const before = plan.water && (plan.ground === 'mountains' || plan.ground === 'forest') ? nearBank(room) : [];
  return { behind: composed, before, shore };
}

function mountains(room: Room, foot: number): Ridge[] {
  const { plan, size, horizon, height } = room;
  const clear = foot < height;
  const ridges = [0, 1, 2, 3].map((row) => {
    const skyline = raiseMountains(lane(room, row), {
      foot: horizon + (row * 0.035 - 0.02) * size,
      rise: [0.42, 0.5, 0.32, 0.18][row]!,
      scale: [0.8, 0.62, 0.95, 1.5][row]!,
    });
    return make(room, {
      skyline,
      matter: 'rock',
      distance: [0.74, 0.52, 0.34, 0.22][row]!,
      foot: clear ? foot : horizon + (row + 1.5) * 0.085 * size,
      lane: row,
      snowLine: plan.snow ? horizon + 0.1 * size : horizon - SUMMER_SNOW * size,
      mist: 0.75,
    });
  });
  const trees = [0, 1, 2].slice(0, clear ? 1 : 3).map((row) => {
    const ground = raiseHills(lane(room, 10 + row), {
      foot: clear ? foot - 0.012 * size : horizon + (0.09 + row * 0.1) * size,
      rise: clear ? 0.03 : 0.09,
      scale: 1.1,
    });
    const skyline = plantConifers(ground, lane(room, 10 + row), {
      seed: room.seed,
      tall: clear ? 0.035 : [0.04, 0.075, 0.15][row]!,
      density: clear ? 190 : [170, 110, 46][row]!,
    });
    return make(room, {
      skyline,
      matter: 'trees',
      distance: clear ? 0.24 : [0.3, 0.14, 0.02][row]!,
      foot: row === 2 || clear ? foot : horizon + (0.3 + row * 0.14) * size,
      lane: 10 + row,
      snowLine: winter(room),
      mist: row === 2 ? 0 : 0.55,
    });
  });
  return [...ridges, ...trees];
}

function hills(room: Room, foot: number): Ridge[] {
  const { size, horizon } = room;
  return [0, 1, 2, 3, 4].flatMap((row) => {
    const line = horizon + (row * row * 0.019 + row * 0.012 - 0.015) * size;
    const ground = raiseHills(lane(room, row), {
      foot: line,
      rise: [0.1, 0.1, 0.11, 0.12, 0.13][row]!,
      scale: [1.3, 1.05, 0.9, 0.75, 0.6][row]!,
    });
    const distance = [0.66, 0.44, 0.27, 0.13, 0.02][row]!;
    const shared = { distance, foot: Math.min(foot, room.height), lane: row, snowLine: winter(room) };
    const grove = { seed: room.seed, tall: [0.014, 0.022, 0.036, 0.06, 0.1][row]!, density: [60, 46, 30, 13, 3][row]! };
    // There is no drawing of bare trees, so winter trees are firs.
    const trees = room.plan.snow
      ? make(room, {
          ...shared,
          skyline: plantConifers(ground, lane(room, row), { ...grove, tall: grove.tall * 1.7 }),
          matter: 'trees',
          mist: 0,
        })
      : make(room, { ...shared, skyline: plantCrowns(ground, lane(room, row), grove), matter: 'leaves', mist: 0 });
    return [trees, make(room, { ...shared, skyline: ground, matter: 'grass', mist: row < 3 ? 0.25 : 0 })];
  });
}

function desert(room: Room, foot: number): Ridge[] {
  const { size, horizon } = room;
  const mesas = raiseMountains(lane(room, 20), { foot: horizon + 0.015 * size, rise: 0.14, scale: 1.2 });
  const dunes = [0, 1, 2, 3].map((row) => {
    const skyline = raiseDunes(lane(room, row), {
      foot: horizon + (0.03 + row * row * 0.042 + row * 0.02) * size,
      rise: [0.08, 0.13, 0.17, 0.22][row]!,
      scale: [2.2, 1.4, 0.95, 0.62][row]!,
    });
    return make(room, {
      skyline,
      matter: 'sand',
      distance: [0.5, 0.3, 0.14, 0.02][row]!,
      foot,
      lane: row,
      snowLine: 0,
      mist: 0,
    });
  });
  return [
    make(room, { skyline: mesas, matter: 'rock', distance: 0.7, foot, lane: 20, snowLine: 0, mist: 0.5 }),
    ...dunes,
  ];
}

function forest(room: Room, foot: number): Ridge[] {
  const { size, horizon, height } = room;
  const clear = foot < height;
  const back = [0, 1].map((row) => {
    const skyline = raiseMountains(lane(room, row), {
      foot: horizon - (0.02 - row * 0.03) * size,
      rise: 0.26 - row * 0.05,
      scale: 0.9 + row * 0.3,
    });
    return make(room, {
      skyline,
      matter: 'rock',
      distance: 0.82 - row * 0.14,
      foot: clear ? foot : horizon + 0.16 * size,
      lane: row,
      snowLine: winter(room),
      mist: 0.8,
    });
  });
  const rows = clear ? [0, 1, 2] : [0, 1, 2, 3, 4];
  const woods = rows.map((row) => {
    const ground = raiseHills(lane(room, 5 + row), {
      foot: clear ? foot + (row - 3) * 0.012 * size : horizon + (row * row * 0.017 + row * 0.045 - 0.01) * size,
      rise: 0.07,
      scale: 1.3 - row * 0.12,
    });
    const skyline = plantConifers(ground, lane(room, 5 + row), {
      seed: room.seed,
      tall: [0.05, 0.08, 0.12, 0.2, 0.34][row]! * (clear ? 0.8 : 1),
      density: [150, 105, 70, 36, 13][row]!,
    });
    return make(room, {
      skyline,
      matter: 'trees',
      distance: [0.62, 0.44, 0.27, 0.12, 0][row]!,
      foot: Math.min(foot, clear ? foot : horizon + (0.22 + row * 0.16) * size),
      lane: 5 + row,
      snowLine: winter(room),
      mist: row === 4 ? 0 : 0.75,
    });
  });
  return [...back, ...woods];
}

function sea(room: Room, foot: number): Ridge[] {
  const { size } = room;
  return [0, 1].map((row) => {
    const full = raiseMountains(lane(room, row), { foot: foot + 0.02 * size, rise: 0.13 - row * 0.04, scale: 1.1 });
    // Land on one side only: the horizon stays open on the other.
    const side = room.seed % 2 === row;
    const skyline = full.map((y, at) => {
      const u = side ? at / full.length : 1 - at / full.length;
      return foot + 2 + (y - foot) * Math.max(0, 1 - u * (2.1 + row * 0.6));
    });
    return make(room, {
      skyline,
      matter: 'rock',
      distance: 0.62 - row * 0.22,
      foot,
      lane: row,
      snowLine: winter(room),
      mist: 0.5,
    });
  });
}

/** Dark trees on the near shore, left and right, with a gap in between. */
function nearBank(room: Room): Ridge[] {
  const { height, size, width } = room;
  const ground = raiseHills(lane(room, 30), { foot: height + 0.05 * size, rise: 0.05, scale: 1 }).map((y, at, all) => {
    const u = Math.abs(at / all.length - 0.5) * 2;
    return y - 0.1 * size * u ** 3;
  });
  const reach = width / size;
  const gaps = (u: number) => Math.max(0, Math.abs(u / reach - 0.5) * 2 - 0.42) * 1.6;
  const skyline = plantConifers(ground, lane(room, 30), { seed: room.seed, tall: 0.36, density: 20, gaps });
  return [
    make(room, { skyline, matter: 'trees', distance: 0.01, foot: height, lane: 30, snowLine: winter(room), mist: 0 }),
  ];
}

/** In winter the snow line is below the image; otherwise there is no snow. */
function winter({ plan, height, size }: Room): number {
  return plan.snow ? height + size : 0;
}

function lane({ width, size, noise }: Room, row: number): Stretch {
  return { width, size, noise, lane: row };
}

function make(
  room: Room,
  ridge: {
    skyline: Skyline;
    matter: Matter;
    distance: number;
    foot: number;
    lane: number;
    snowLine: number;
    mist: number;
  },
): Ridge {
  const { plan, size } = room;
  const thick = plan.mist ? 1 : ridge.mist * 0.8;
  const distance = plan.mist
    ? ridge.distance + (1 - ridge.distance) * 0.3 * Math.min(1, ridge.distance * 3)
    : ridge.distance;
  return { ...ridge, distance, mist: ridge.mist > 0 ? thick : 0, mistDepth: (plan.mist ? 0.3 : 0.2) * size };
}
