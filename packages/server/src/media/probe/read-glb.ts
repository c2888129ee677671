import { open } from 'node:fs/promises';
import { ProbeRefusal } from './probe-protocol.ts';

/** The parts of a glTF document that a picture needs. Every member may be missing or wrong in a hostile file. */
export interface GltfDocument {
  scene?: number;
  scenes?: { nodes?: number[] }[];
  nodes?: GltfNode[];
  meshes?: { primitives?: GltfPrimitive[] }[];
  materials?: GltfMaterial[];
  textures?: { source?: number }[];
  images?: { bufferView?: number }[];
  accessors?: GltfAccessor[];
  bufferViews?: { byteOffset?: number; byteLength?: number; byteStride?: number; extensions?: object }[];
}

export interface GltfNode {
  mesh?: number;
  children?: number[];
  matrix?: number[];
  translation?: number[];
  rotation?: number[];
  scale?: number[];
}

export interface GltfPrimitive {
  attributes?: Record<string, number>;
  indices?: number;
  material?: number;
  mode?: number;
  extensions?: object;
}

export interface GltfMaterial {
  alphaMode?: string;
  extensions?: object;
  emissiveFactor?: number[];
  pbrMetallicRoughness?: { baseColorFactor?: number[]; baseColorTexture?: { index?: number; texCoord?: number } };
}

export interface GltfAccessor {
  bufferView?: number;
  byteOffset?: number;
  componentType?: number;
  count?: number;
  type?: string;
  normalized?: boolean;
  min?: number[];
  max?: number[];
}

export interface Glb {
  document: GltfDocument;
  binary: Buffer;
}

const MAGIC = 0x46546c67;
const JSON_CHUNK = 0x4e4f534a;
const BINARY_CHUNK = 0x004e4942;
const HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;
const MAX_FILE_BYTES = 256 * 1024 * 1024;
const MAX_JSON_BYTES = 32 * 1024 * 1024;

export async function readGlb(path: string): Promise<Glb> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    if (size > MAX_FILE_BYTES) throw new ProbeRefusal('The model is too large.');
    const header = await readPart(file, 0, HEADER_BYTES, size);
    const length = header.readUInt32LE(8);
    if (header.readUInt32LE(0) !== MAGIC || header.readUInt32LE(4) !== 2)
      throw new ProbeRefusal('The file is not a GLB version 2 file.');
    if (length > size) throw new ProbeRefusal('The model is truncated.');

    let text: Buffer | undefined;
    let binary = Buffer.alloc(0);
    for (let at = HEADER_BYTES; at + CHUNK_HEADER_BYTES <= length; ) {
      const chunk = await readPart(file, at, CHUNK_HEADER_BYTES, length);
      const bytes = chunk.readUInt32LE(0);
      const kind = chunk.readUInt32LE(4);
      at += CHUNK_HEADER_BYTES;
      if (kind === JSON_CHUNK && !text) {
        if (bytes > MAX_JSON_BYTES) throw new ProbeRefusal("The model's description is too large.");
        text = await readPart(file, at, bytes, length);
      } else if (kind === BINARY_CHUNK && binary.length === 0) {
        binary = await readPart(file, at, bytes, length);
      }
      at += Math.ceil(bytes / 4) * 4;
    }
    if (!text) throw new ProbeRefusal('The model has no description.');
    const document: unknown = JSON.parse(text.toString('utf8'));
    if (typeof document !== 'object' || document === null) throw new ProbeRefusal('The model has no description.');
    return { document, binary };
  } finally {
    await file.close();
  }
}

async function readPart(
  file: Awaited<ReturnType<typeof open>>,
  at: number,
  bytes: number,
  end: number,
): Promise<Buffer<ArrayBuffer>> {
  if (at + bytes > end) throw new ProbeRefusal('The model is truncated.');
  const part = Buffer.alloc(bytes);
  const { bytesRead } = await file.read(part, 0, bytes, at);
  if (bytesRead < bytes) throw new ProbeRefusal('The model is truncated.');
  return part;
}

const COMPONENTS: Readonly<Record<string, number>> = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4 };

const NUMBERS: Readonly<Record<number, { bytes: number; most: number; read: (from: Buffer, at: number) => number }>> = {
  5120: { bytes: 1, most: 127, read: (from, at) => from.readInt8(at) },
  5121: { bytes: 1, most: 255, read: (from, at) => from.readUInt8(at) },
  5122: { bytes: 2, most: 32767, read: (from, at) => from.readInt16LE(at) },
  5123: { bytes: 2, most: 65535, read: (from, at) => from.readUInt16LE(at) },
  5125: { bytes: 4, most: 4294967295, read: (from, at) => from.readUInt32LE(at) },
  5126: { bytes: 4, most: 1, read: (from, at) => from.readFloatLE(at) },
};

export interface Numbers {
  values: Float64Array | Float32Array;
  width: number;
  count: number;
}

/** The values behind an accessor, or null where they are missing, compressed or reach outside the file. */
export function readAccessor({ document, binary }: Glb, index: number | undefined, maxCount: number): Numbers | null {
  const accessor = index === undefined ? undefined : document.accessors?.[index];
  const view = accessor?.bufferView === undefined ? undefined : document.bufferViews?.[accessor.bufferView];
  const number = NUMBERS[accessor?.componentType ?? 0];
  const width = COMPONENTS[accessor?.type ?? ''];
  if (!accessor || !view || !number || !width || view.extensions) return null;
  const count = accessor.count ?? 0;
  if (!Number.isInteger(count) || count < 1 || count > maxCount) return null;
  const stride = view.byteStride ?? width * number.bytes;
  const start = (view.byteOffset ?? 0) + (accessor.byteOffset ?? 0);
  const end = start + stride * (count - 1) + width * number.bytes;
  if (!(stride > 0) || !(start >= 0) || !(end <= binary.length)) return null;

  const exact = accessor.componentType === 5125;
  const values = exact ? new Float64Array(count * width) : new Float32Array(count * width);
  const divisor = accessor.normalized ? number.most : 1;
  for (let row = 0; row < count; row++) {
    for (let column = 0; column < width; column++) {
      const value = number.read(binary, start + row * stride + column * number.bytes) / divisor;
      values[row * width + column] = Number.isFinite(value) ? value : 0;
    }
  }
  return { values, width, count };
}
