export interface GlbPart {
  positions: number[];
  corners: number[];
  colours?: number[];
  /** A linear base colour. */
  colour?: [number, number, number, number];
}

const FLOAT = 5126;
const UNSIGNED = 5125;

/** A minimal valid GLB with one mesh. */
export function makeGlb(parts: readonly GlbPart[]): Buffer {
  const content: Buffer[] = [];
  const bufferViews: object[] = [];
  const accessors: object[] = [];
  let offset = 0;
  const add = (values: Float32Array | Uint32Array, type: 'SCALAR' | 'VEC3', componentType: number) => {
    const bytes = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
    bufferViews.push({ buffer: 0, byteOffset: offset, byteLength: bytes.length });
    accessors.push({
      bufferView: bufferViews.length - 1,
      componentType,
      count: values.length / (type === 'VEC3' ? 3 : 1),
      type,
    });
    content.push(bytes);
    offset += bytes.length;
    return accessors.length - 1;
  };
  const primitives = parts.map((part, index) => ({
    attributes: {
      POSITION: add(Float32Array.from(part.positions), 'VEC3', FLOAT),
      ...(part.colours ? { COLOR_0: add(Float32Array.from(part.colours), 'VEC3', FLOAT) } : {}),
    },
    indices: add(Uint32Array.from(part.corners), 'SCALAR', UNSIGNED),
    material: index,
  }));
  const materials = parts.map(({ colour }) => ({ pbrMetallicRoughness: { baseColorFactor: colour ?? [1, 1, 1, 1] } }));
  return wrapGlb(
    {
      asset: { version: '2.0' },
      scene: 0,
      scenes: [{ nodes: [0] }],
      nodes: [{ mesh: 0 }],
      meshes: [{ primitives }],
      materials,
      accessors,
      bufferViews,
      buffers: [{ byteLength: offset }],
    },
    Buffer.concat(content),
  );
}

export function wrapGlb(document: object, binary: Buffer): Buffer {
  const text = Buffer.from(JSON.stringify(document));
  const padded = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, 0x20)]);
  const word = (...values: number[]) => Buffer.from(Uint32Array.from(values).buffer);
  const chunks = Buffer.concat([word(padded.length, 0x4e4f534a), padded, word(binary.length, 0x004e4942), binary]);
  return Buffer.concat([word(0x46546c67, 2, 12 + chunks.length), chunks]);
}

/** A box from (-x,-y,-z) to (x,y,z) with faces turned outward. */
export function box([x, y, z]: readonly [number, number, number]): GlbPart {
  const positions = Array.from({ length: 8 }, (_, corner) => [
    corner & 1 ? x : -x,
    corner & 2 ? y : -y,
    corner & 4 ? z : -z,
  ]).flat();
  const corners = [
    ...[0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4],
    ...[2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5],
  ];
  return { positions, corners };
}
