import { type Glb, type GltfNode, type GltfPrimitive, readAccessor } from './read-glb.ts';

/** Triangles of one material in world space. */
export interface Surface {
  positions: Float32Array;
  normals: Float32Array | null;
  /** Three linear values per vertex. */
  colours: Float32Array | null;
  texturePoints: Float32Array | null;
  /** Three per triangle. */
  corners: Uint32Array;
  material: number | null;
}

type Matrix = Float64Array;

const MAX_VERTICES = 3_000_000;
const MAX_CORNERS = 12_000_000;
const MAX_NODES = 50_000;
const MAX_DEPTH = 64;

const TRIANGLES = 4;
const TRIANGLE_STRIP = 5;
const TRIANGLE_FAN = 6;

/** Walks the scene. Skips what exceeds a limit or cannot be read: a partial picture is better than none. */
export function collectSurfaces(glb: Glb): Surface[] {
  const { document } = glb;
  const surfaces: Surface[] = [];
  const nodes = document.nodes ?? [];
  let visited = 0;
  let vertices = 0;
  let corners = 0;

  const visit = (index: number, parent: Matrix, depth: number): void => {
    const node = nodes[index];
    if (!node || depth > MAX_DEPTH || ++visited > MAX_NODES) return;
    const matrix = multiply(parent, localMatrix(node));
    const mesh = node.mesh === undefined ? undefined : document.meshes?.[node.mesh];
    for (const primitive of mesh?.primitives ?? []) {
      if (vertices > MAX_VERTICES || corners > MAX_CORNERS) return;
      const surface = readSurface(glb, primitive, matrix);
      if (!surface) continue;
      vertices += surface.positions.length / 3;
      corners += surface.corners.length;
      surfaces.push(surface);
    }
    for (const child of node.children ?? []) visit(child, matrix, depth + 1);
  };

  const roots = document.scenes?.[document.scene ?? 0]?.nodes ?? nodes.map((_, index) => index);
  for (const root of roots) visit(root, identity(), 0);
  return surfaces;
}

function readSurface(glb: Glb, primitive: GltfPrimitive, matrix: Matrix): Surface | null {
  const attributes = primitive.attributes ?? {};
  const positions = readAccessor(glb, attributes.POSITION, MAX_VERTICES);
  if (positions?.width !== 3) return boxSurface(glb, primitive, matrix);
  const indices = primitive.indices === undefined ? null : readAccessor(glb, primitive.indices, MAX_CORNERS);
  if (primitive.indices !== undefined && !indices) return null;
  const corners = toTriangles(primitive.mode ?? TRIANGLES, indices?.values ?? null, positions.count);
  if (!corners) return null;

  const attribute = (name: string, width: number) => {
    const read = readAccessor(glb, attributes[name], MAX_VERTICES);
    return read && read.count === positions.count && read.width >= width ? read : null;
  };
  const normals = attribute('NORMAL', 3);
  const colours = attribute('COLOR_0', 3);
  const channel =
    glb.document.materials?.[primitive.material ?? -1]?.pbrMetallicRoughness?.baseColorTexture?.texCoord ?? 0;
  const texturePoints = attribute(`TEXCOORD_${channel}`, 2);
  return {
    positions: transform(positions.values, matrix, 1),
    normals: normals ? transform(normals.values, matrix, 0) : null,
    colours: colours ? firstThree(colours.values, colours.width) : null,
    texturePoints: texturePoints ? Float32Array.from(texturePoints.values) : null,
    corners,
    material: primitive.material ?? null,
  };
}

/** Compressed geometry cannot be read here, but its bounds are uncompressed: they are drawn as a box. */
function boxSurface(glb: Glb, primitive: GltfPrimitive, matrix: Matrix): Surface | null {
  const { min, max } = glb.document.accessors?.[primitive.attributes?.POSITION ?? -1] ?? {};
  if (min?.length !== 3 || max?.length !== 3 || ![...min, ...max].every(Number.isFinite)) return null;
  const points = Array.from({ length: 8 }, (_, corner) =>
    [0, 1, 2].map((axis) => ((corner >> axis) & 1 ? max : min)[axis]!),
  );
  const faces = [
    0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4, 2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5,
  ];
  return {
    positions: transform(Float32Array.from(points.flat()), matrix, 1),
    normals: null,
    colours: null,
    texturePoints: null,
    corners: Uint32Array.from(faces),
    material: primitive.material ?? null,
  };
}

function toTriangles(mode: number, indices: ArrayLike<number> | null, vertices: number): Uint32Array | null {
  const count = indices ? indices.length : vertices;
  const at = (place: number) => (indices ? indices[place]! : place);
  let corners: Uint32Array;
  if (mode === TRIANGLES) {
    corners = Uint32Array.from({ length: count - (count % 3) }, (_, place) => at(place));
  } else if (mode === TRIANGLE_STRIP || mode === TRIANGLE_FAN) {
    corners = new Uint32Array(Math.max(0, count - 2) * 3);
    for (let triangle = 0; triangle + 2 < count; triangle++) {
      const swap = mode === TRIANGLE_STRIP && triangle % 2 === 1 ? 1 : 0;
      corners[triangle * 3] = mode === TRIANGLE_FAN ? at(0) : at(triangle);
      corners[triangle * 3 + 1 + swap] = at(triangle + 1);
      corners[triangle * 3 + 2 - swap] = at(triangle + 2);
    }
  } else {
    return null;
  }
  return corners.every((corner) => corner < vertices) ? corners : null;
}

function firstThree(values: ArrayLike<number>, width: number): Float32Array {
  return Float32Array.from(
    { length: (values.length / width) * 3 },
    (_, at) => values[Math.floor(at / 3) * width + (at % 3)]!,
  );
}

/** With weight 0 a direction: it is rotated and scaled but not translated. */
function transform(values: ArrayLike<number>, matrix: Matrix, weight: 0 | 1): Float32Array {
  const moved = new Float32Array(values.length);
  for (let at = 0; at + 2 < values.length; at += 3) {
    for (let axis = 0; axis < 3; axis++) {
      moved[at + axis] =
        matrix[axis]! * values[at]! +
        matrix[axis + 4]! * values[at + 1]! +
        matrix[axis + 8]! * values[at + 2]! +
        matrix[axis + 12]! * weight;
    }
  }
  return moved;
}

function identity(): Matrix {
  return Float64Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1);
}

function multiply(left: Matrix, right: Matrix): Matrix {
  const product = new Float64Array(16);
  for (let column = 0; column < 4; column++) {
    for (let row = 0; row < 4; row++) {
      for (let inner = 0; inner < 4; inner++) {
        product[column * 4 + row]! += left[inner * 4 + row]! * right[column * 4 + inner]!;
      }
    }
  }
  return product;
}

function localMatrix(node: GltfNode): Matrix {
  if (node.matrix?.length === 16) return Float64Array.from(node.matrix, finite);
  const [tx = 0, ty = 0, tz = 0] = (node.translation ?? []).map(finite);
  const [qx = 0, qy = 0, qz = 0, qw = 1] = (node.rotation ?? []).map(finite);
  const [sx = 1, sy = 1, sz = 1] = (node.scale ?? []).map(finite);
  return Float64Array.of(
    (1 - 2 * (qy * qy + qz * qz)) * sx,
    2 * (qx * qy + qz * qw) * sx,
    2 * (qx * qz - qy * qw) * sx,
    0,
    2 * (qx * qy - qz * qw) * sy,
    (1 - 2 * (qx * qx + qz * qz)) * sy,
    2 * (qy * qz + qx * qw) * sy,
    0,
    2 * (qx * qz + qy * qw) * sz,
    2 * (qy * qz - qx * qw) * sz,
    (1 - 2 * (qx * qx + qy * qy)) * sz,
    0,
    tx,
    ty,
    tz,
    1,
  );
}

function finite(value: number): number {
  return Number.isFinite(value) ? value : 0;
}
