import { describe, expect, it } from 'vitest';
import { placeModel } from '../mesh/solid-model.ts';
import { countOpenEdges } from '../mesh/testing/count-open-edges.ts';
import { seededRandom } from '../seeded-random.ts';
import { buildRelief } from './build-relief.ts';
import { type Field, inflateMatte, keepMainShapes, onBorder } from './inflate-matte.ts';

const SIDE = 64;
const texture = { png: Buffer.alloc(0), rgb: Buffer.alloc(3), width: 1, height: 1 };

function makeField(value: (x: number, y: number) => number): Field {
  const values = Float32Array.from({ length: SIDE * SIDE }, (_, at) =>
    onBorder(at, SIDE, SIDE) ? 0 : value(at % SIDE, Math.floor(at / SIDE)),
  );
  return { values, width: SIDE, height: SIDE };
}

const disc = makeField((x, y) => 1 / (1 + Math.exp(Math.hypot(x - 32, y - 32) - 20)));

describe('inflateMatte', () => {
  it('inflates a disc to a flattened hemisphere', () => {
    const { values } = inflateMatte(disc);
    const at = (x: number) => values[32 * SIDE + x]!;
    expect(at(32)).toBeGreaterThan(8);
    expect(at(32)).toBeLessThan(10);
    expect(at(44) / at(32)).toBeCloseTo(Math.sqrt(1 - (12 / 20) ** 2), 1);
  });
});

describe('buildRelief', () => {
  const build = (matte: Field) => placeModel(buildRelief({ matte, heights: inflateMatte(matte), texture }));

  it('has no open edge over a disc and a ring', () => {
    expect(countOpenEdges(build(disc))).toBe(0);
    const ring = makeField((x, y) => (Math.abs(Math.hypot(x - 32, y - 32) - 18) < 7 ? 1 : 0));
    expect(countOpenEdges(build(ring))).toBe(0);
  });

  it('has no open edge over noise, where corners touch', () => {
    const random = seededRandom(7);
    const noise = makeField(() => random());
    expect(countOpenEdges(build(noise))).toBe(0);
  });

  it('has a rim at the edge of the image', () => {
    expect(countOpenEdges(build(makeField(() => 1)))).toBe(0);
  });
});

describe('keepMainShapes', () => {
  it('removes specks and fills pinholes', () => {
    const specked = makeField((x, y) =>
      x === 3 && y === 3 ? 1 : x === 32 && y === 32 ? 0 : Math.hypot(x - 32, y - 32) < 20 ? 1 : 0,
    );
    const { values } = keepMainShapes(specked);
    expect(values[3 * SIDE + 3]).toBe(0);
    expect(values[32 * SIDE + 32]).toBe(1);
  });
});
