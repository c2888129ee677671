import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { hasWeights, runEngine } from '../testing/run-engine.ts';

const coffee = fileURLToPath(new URL('../../../../gallery/inputs/coffee.jpg', import.meta.url));

describe.skipIf(!hasWeights('inflate3d'))('inflate3d: 3d.from-image', () => {
  it('makes a closed, textured model in five formats', async () => {
    const [output] = await runEngine('inflate3d', { taskType: '3d.from-image', inputs: { image: [coffee] } });
    const glb = await readFile(output!.path);
    const json = JSON.parse(glb.toString('utf8', 20, 20 + glb.readUInt32LE(12))) as { textures: unknown[] };
    expect(json.textures).toHaveLength(1);
    expect(output!.downloads!.map(({ format }) => format).sort()).toEqual(['fbx', 'obj', 'stl', 'usdz']);
    const stl = await readFile(output!.downloads!.find(({ format }) => format === 'stl')!.path);
    const open = countOpenEdgesOfStl(stl);
    console.info(`inflate3d: ${stl.readUInt32LE(80)} faces, ${open} open edges`);
    expect(open).toBe(0);
  });
});

function countOpenEdgesOfStl(stl: Buffer): number {
  const edges = new Map<string, number>();
  for (let face = 84; face < stl.length; face += 50) {
    const points = [12, 24, 36].map((at) => stl.toString('latin1', face + at, face + at + 12));
    points.forEach((from, at) => {
      const to = points[(at + 1) % 3]!;
      const key = from < to ? from + to : to + from;
      edges.set(key, (edges.get(key) ?? 0) + (from < to ? 1 : -1));
    });
  }
  return [...edges.values()].filter((balance) => balance !== 0).length;
}
