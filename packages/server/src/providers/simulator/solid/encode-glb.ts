import type { Mesh } from './mesh.ts';

const MAGIC = 0x46546c67;
const VERSION = 2;
const JSON_CHUNK = 0x4e4f534a;
const BINARY_CHUNK = 0x004e4942;
const FLOAT = 5126;
const UNSIGNED_SHORT = 5123;
const VERTEX_BUFFER = 34962;
const INDEX_BUFFER = 34963;

/** Binary glTF 2.0: one mesh, one material of one colour. */
export function encodeGlb({ positions, normals, indices }: Mesh, { colour }: { colour: string }): Buffer {
  const parts = [positions, normals, indices].map((part) => pad(Buffer.from(part.buffer), 0));
  const binary = Buffer.concat(parts);
  const vertices = positions.length / 3;
  const starts = [0, parts[0]!.length, parts[0]!.length + parts[1]!.length];
  const document = {
    asset: { version: '2.0', generator: 'Simulator' },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0, name: 'Simulated solid' }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0, NORMAL: 1 }, indices: 2, material: 0 }] }],
    materials: [
      {
        pbrMetallicRoughness: { baseColorFactor: linearColour(colour), metallicFactor: 0.1, roughnessFactor: 0.45 },
      },
    ],
    buffers: [{ byteLength: binary.length }],
    bufferViews: [
      { buffer: 0, byteOffset: starts[0], byteLength: positions.byteLength, target: VERTEX_BUFFER },
      { buffer: 0, byteOffset: starts[1], byteLength: normals.byteLength, target: VERTEX_BUFFER },
      { buffer: 0, byteOffset: starts[2], byteLength: indices.byteLength, target: INDEX_BUFFER },
    ],
    accessors: [
      { bufferView: 0, componentType: FLOAT, count: vertices, type: 'VEC3', ...bounds(positions) },
      { bufferView: 1, componentType: FLOAT, count: vertices, type: 'VEC3' },
      { bufferView: 2, componentType: UNSIGNED_SHORT, count: indices.length, type: 'SCALAR' },
    ],
  };
  const json = pad(Buffer.from(JSON.stringify(document)), 0x20);
  const header = words(MAGIC, VERSION, 12 + 8 + json.length + 8 + binary.length);
  return Buffer.concat([header, words(json.length, JSON_CHUNK), json, words(binary.length, BINARY_CHUNK), binary]);
}

function bounds(positions: Float32Array): { min: number[]; max: number[] } {
  const axes = [0, 1, 2].map((axis) => positions.filter((_, index) => index % 3 === axis));
  return { min: axes.map((values) => Math.min(...values)), max: axes.map((values) => Math.max(...values)) };
}

/** glTF wants linear light; the hex colour is sRGB. */
function linearColour(hex: string): number[] {
  const channels = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255);
  return [...channels.map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)), 1];
}

function words(...values: number[]): Buffer {
  return Buffer.from(Uint32Array.from(values).buffer);
}

/** Chunks and their parts begin on multiples of four bytes. */
function pad(bytes: Buffer, filler: number): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4, filler)]);
}
