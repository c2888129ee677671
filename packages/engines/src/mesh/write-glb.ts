import { writeFile } from 'node:fs/promises';
import type { Colour, SolidModel } from './solid-model.ts';

const FLOAT = 5126;
const UNSIGNED_INT = 5125;
const POINTS = 34962;
const CORNERS = 34963;
const JSON_CHUNK = 0x4e4f534a;
const BINARY_CHUNK = 0x004e4942;

/** A binary glTF 2.0 file: one mesh, one primitive and one material per part. */
export async function writeGlb(
  model: SolidModel,
  path: string,
  { colours = 'linear' as 'linear' | 'display' } = {},
): Promise<void> {
  const pieces: Buffer[] = [];
  const bufferViews: object[] = [];
  const accessors: object[] = [];
  let length = 0;

  const addView = (bytes: Buffer, target?: number): number => {
    bufferViews.push({ buffer: 0, byteOffset: length, byteLength: bytes.length, ...(target && { target }) });
    const padded = Buffer.alloc(Math.ceil(bytes.length / 4) * 4);
    bytes.copy(padded);
    pieces.push(padded);
    length += padded.length;
    return bufferViews.length - 1;
  };
  const addAccessor = (values: Float32Array | Uint32Array, type: 'SCALAR' | 'VEC2' | 'VEC3', bounds = {}): number => {
    const isCorners = values instanceof Uint32Array;
    const view = addView(
      Buffer.from(values.buffer, values.byteOffset, values.byteLength),
      isCorners ? CORNERS : POINTS,
    );
    const count = values.length / { SCALAR: 1, VEC2: 2, VEC3: 3 }[type];
    accessors.push({ bufferView: view, componentType: isCorners ? UNSIGNED_INT : FLOAT, count, type, ...bounds });
    return accessors.length - 1;
  };

  const primitives = model.parts.map((part, material) => ({
    attributes: {
      POSITION: addAccessor(part.positions, 'VEC3', boundsOf(part.positions)),
      NORMAL: addAccessor(part.normals, 'VEC3'),
      ...(part.texturePoints && { TEXCOORD_0: addAccessor(part.texturePoints, 'VEC2') }),
    },
    indices: addAccessor(part.corners, 'SCALAR'),
    material,
  }));
  const materials = model.parts.map(({ colour, metallic, roughness, texturePoints }) => ({
    pbrMetallicRoughness: {
      baseColorFactor: [...(colours === 'linear' ? linear(colour) : colour), 1],
      metallicFactor: metallic,
      roughnessFactor: roughness,
      ...(texturePoints && model.texture && { baseColorTexture: { index: 0 } }),
    },
  }));
  const picture = model.texture && {
    images: [{ bufferView: addView(model.texture.png), mimeType: 'image/png' }],
    samplers: [{ wrapS: 33071, wrapT: 33071 }],
    textures: [{ source: 0, sampler: 0 }],
  };
  const json = {
    asset: { version: '2.0', generator: 'Atelier' },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0, name: 'model' }],
    meshes: [{ primitives }],
    materials,
    ...picture,
    accessors,
    bufferViews,
    buffers: [{ byteLength: length }],
  };
  await writeFile(path, assemble(JSON.stringify(json), Buffer.concat(pieces)));
}

function assemble(json: string, binary: Buffer): Buffer {
  const text = Buffer.from(json);
  const padded = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, ' ')]);
  const head = Buffer.alloc(20);
  head.write('glTF', 0, 'latin1');
  head.writeUInt32LE(2, 4);
  head.writeUInt32LE(28 + padded.length + binary.length, 8);
  head.writeUInt32LE(padded.length, 12);
  head.writeUInt32LE(JSON_CHUNK, 16);
  const middle = Buffer.alloc(8);
  middle.writeUInt32LE(binary.length, 0);
  middle.writeUInt32LE(BINARY_CHUNK, 4);
  return Buffer.concat([head, padded, middle, binary]);
}

function boundsOf(positions: Float32Array): { min: number[]; max: number[] } {
  const min = [Infinity, Infinity, Infinity];
  const max = [-Infinity, -Infinity, -Infinity];
  positions.forEach((value, at) => {
    min[at % 3] = Math.min(min[at % 3]!, value);
    max[at % 3] = Math.max(max[at % 3]!, value);
  });
  return { min, max };
}

export function linear(colour: Colour): [number, number, number] {
  const [red, green, blue] = colour.map((value) =>
    value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4,
  );
  return [red!, green!, blue!];
}
