/**
 * Converts an ONNX model from half to single precision with the same weights. On a CPU some models overflow in half
 * precision and lose their output; it is also slower.
 *
 * Only the fields of ONNX's protocol buffer that must change are decoded; all others are copied unchanged.
 */
export function upcastModel(model: Uint8Array): Uint8Array {
  return join(rewrite(model, 'model'));
}

type Kind = 'model' | 'graph' | 'node' | 'attribute' | 'tensor' | 'value' | 'type' | 'tensorType';

const HALF = 10;
const SINGLE = 1;
const VARINT = 0;
const FIXED_64 = 1;
const BYTES = 2;
const FIXED_32 = 5;
/** Fields that contain nested messages. */
const INSIDE: Readonly<Record<Kind, Readonly<Record<number, Kind>>>> = {
  model: { 7: 'graph' },
  graph: { 1: 'node', 5: 'tensor', 11: 'value', 12: 'value', 13: 'value' },
  node: { 5: 'attribute' },
  attribute: { 5: 'tensor', 6: 'graph', 10: 'tensor', 11: 'graph' },
  tensor: {},
  value: { 2: 'type' },
  type: { 1: 'tensorType' },
  tensorType: {},
};
/** Attributes that define the output type of a node. */
const TYPE_ATTRIBUTES = new Set(['to', 'dtype']);
const ATTRIBUTE = { name: 1, integer: 3 };
const TENSOR = { type: 2, integers: 5, raw: 9 };
const TENSOR_TYPE = { element: 1 };

interface Field {
  readonly number: number;
  readonly wire: number;
  /** The value of a varint; zero for other types. */
  readonly value: number;
  /** The content of the field, without its tag and length. */
  readonly body: Uint8Array;
  /** The encoded field. */
  readonly whole: Uint8Array;
}

function rewrite(bytes: Uint8Array, kind: Kind): Uint8Array[] {
  const fields = readFields(bytes);
  if (kind === 'tensor') return rewriteTensor(fields) ?? [bytes];
  const namesType =
    kind === 'attribute' &&
    fields.some(({ number, body }) => number === ATTRIBUTE.name && TYPE_ATTRIBUTES.has(Buffer.from(body).toString()));
  return fields.flatMap((field) => {
    const inside = INSIDE[kind][field.number];
    if (inside !== undefined && field.wire === BYTES) return wrap(field.number, rewrite(field.body, inside));
    const isType =
      (namesType && field.number === ATTRIBUTE.integer) ||
      (kind === 'tensorType' && field.number === TENSOR_TYPE.element);
    if (isType && field.value === HALF) return [varint(field.number * 8 + VARINT), varint(SINGLE)];
    return [field.whole];
  });
}

function rewriteTensor(fields: readonly Field[]): Uint8Array[] | undefined {
  if (!fields.some(({ number, value }) => number === TENSOR.type && value === HALF)) return undefined;
  return fields.flatMap((field) => {
    if (field.number === TENSOR.type) return [varint(TENSOR.type * 8 + VARINT), varint(SINGLE)];
    if (field.number === TENSOR.raw) return wrap(TENSOR.raw, [widen(halvesOf(field.body))]);
    if (field.number === TENSOR.integers) return wrap(TENSOR.raw, [widen(Uint16Array.from(readVarints(field.body)))]);
    return [field.whole];
  });
}

function halvesOf(bytes: Uint8Array): Uint16Array {
  // Copied, since the weights may be unaligned and a Uint16Array needs an even offset.
  return new Uint16Array(new Uint8Array(bytes).buffer);
}

const SINGLES = Float32Array.from({ length: 65_536 }, (_, half) => {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >> 10) & 0x1f;
  const fraction = half & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
});

function widen(halves: Uint16Array): Uint8Array {
  const singles = new Float32Array(halves.length);
  for (let at = 0; at < halves.length; at++) singles[at] = SINGLES[halves[at]!]!;
  return new Uint8Array(singles.buffer);
}

function readFields(bytes: Uint8Array): readonly Field[] {
  const fields: Field[] = [];
  for (let at = 0; at < bytes.length; ) {
    const from = at;
    const tag = readVarint(bytes, at);
    const [number, wire] = [Math.floor(tag.value / 8), tag.value % 8];
    at = tag.next;
    let [value, body] = [0, bytes.subarray(at, at)];
    if (wire === VARINT) ({ value, next: at } = readVarint(bytes, at));
    else if (wire === FIXED_64 || wire === FIXED_32) at += wire === FIXED_64 ? 8 : 4;
    else if (wire === BYTES) {
      const length = readVarint(bytes, at);
      body = bytes.subarray(length.next, length.next + length.value);
      at = length.next + length.value;
    } else throw new Error(`a model with a field of wire type ${wire}`);
    fields.push({ number, wire, value, body, whole: bytes.subarray(from, at) });
  }
  return fields;
}

function readVarints(bytes: Uint8Array): number[] {
  const values: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    const { value, next } = readVarint(bytes, at);
    values.push(value);
    at = next;
  }
  return values;
}

/** Exact up to 2^53; larger values are only skipped. */
function readVarint(bytes: Uint8Array, from: number): { value: number; next: number } {
  let [value, next, scale] = [0, from, 1];
  for (;;) {
    const byte = bytes[next++];
    if (byte === undefined) throw new Error('a model that ends in the middle of a field');
    value += (byte & 0x7f) * scale;
    scale *= 128;
    if (byte < 0x80) return { value, next };
  }
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return Uint8Array.from([...bytes, rest]);
}

function wrap(number: number, pieces: Uint8Array[]): Uint8Array[] {
  return [varint(number * 8 + BYTES), varint(pieces.reduce((sum, piece) => sum + piece.length, 0)), ...pieces];
}

function join(pieces: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}
