import fc, { type Arbitrary } from 'fast-check';

const NASTY_TEXT = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udfff\ud800',
  '\u001b[31m',
  '\r\nSet-Cookie: a=b',
  '\u202e\u200b\ufeff',
  "'; DROP TABLE account; --",
  '{{7*7}}',
  '../../../etc/passwd',
  '%00%0a%ff',
  '{"$gt":""}',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'a'.repeat(5_000),
  '\u{1f469}\u200d\u{1f469}\u200d\u{1f467}'.repeat(50),
];
const NASTY_NUMBERS = [0, -0, -1, 1.5, 1e21, -1e21, 5e-324, 2 ** 31, 2 ** 53, 2 ** 53 + 2, 2 ** 63, Number.MAX_VALUE];

/** A value of the wrong type. */
export const nasty: Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(...NASTY_TEXT, ...NASTY_NUMBERS, null, true, false, [], {}, [[]], [null], { a: {} }),
  fc.jsonValue({ maxDepth: 4 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
);

export const nastyText: Arbitrary<string> = fc.oneof(
  fc.constantFrom(...NASTY_TEXT),
  fc.string({ unit: 'binary', maxLength: 40 }),
);

/** The value with one member replaced, removed or added. */
export function spoil(value: Arbitrary<unknown>): Arbitrary<unknown> {
  return fc.tuple(value, nasty, nastyText, fc.nat(), fc.constantFrom('replace', 'remove', 'add')).map(spoilOne);
}

function spoilOne([value, thing, name, seed, how]: [unknown, unknown, string, number, string]): unknown {
  const copy = structuredClone(value);
  const places = placesOf(copy);
  const place = places[seed % Math.max(1, places.length)];
  if (place === undefined) return thing;
  const { holder, member } = place;
  if (how === 'remove') Reflect.deleteProperty(holder, member);
  else if (how === 'replace') holder[member] = thing;
  else if (Array.isArray(holder)) holder.push(thing);
  // Defined, not assigned: assigning to __proto__ would add nothing.
  else Object.defineProperty(holder, name, { value: thing, enumerable: true, configurable: true });
  return copy;
}

type Holder = Record<string, unknown>;

function placesOf(value: unknown): Array<{ holder: Holder; member: string }> {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Holder;
  return Object.keys(holder).flatMap((member) => [{ holder, member }, ...placesOf(holder[member])]);
}
