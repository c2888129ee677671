export type Json = { readonly [key: string]: unknown };

/** Who writes the value: a client (`request`) or the service (`response`). Different changes break each. */
export type Direction = 'request' | 'response';

/** One comparison of two schemas. `previous` and `current` are the whole documents that references point into. */
export interface Comparison {
  readonly previous: Json;
  readonly current: Json;
  readonly direction: Direction;
  /** Pairs of named schemas already compared in this direction, so that each is reported once and recursion ends. */
  readonly seen: Set<string>;
}

interface Sides {
  readonly before: Json;
  readonly after: Json;
  /** Location for messages: `createQuote request: coins`. */
  readonly at: string;
}

/** One message for each change that would break a client of the previous schema. Additions break nothing. */
export function compareSchema(comparison: Comparison, sides: Sides): string[] {
  const named = nameOf(sides.before) === nameOf(sides.after) ? nameOf(sides.before) : undefined;
  if (named !== undefined) {
    const key = `${comparison.direction} ${named}`;
    if (comparison.seen.has(key)) return [];
    comparison.seen.add(key);
  }
  const before = foldNull(comparison.previous, resolve(comparison.previous, sides.before));
  const after = foldNull(comparison.current, resolve(comparison.current, sides.after));
  const at = named === undefined ? sides.at : `${comparison.direction} schema ${named}`;
  if (variantsOf(before) !== undefined || variantsOf(after) !== undefined) {
    return compareVariants(comparison, { before, after, at });
  }
  const typeChange = compareTypes(comparison.direction, { before, after, at });
  if (typeChange.length > 0) return typeChange;
  return [
    ...compareValues(comparison.direction, { before, after, at }),
    ...compareBounds(comparison.direction, { before, after, at }),
    ...compareObjects(comparison, { before, after, at }),
    ...compareItems(comparison, { before, after, at }),
  ];
}

function nameOf(schema: Json): string | undefined {
  return typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined;
}

function resolve(document: Json, schema: Json): Json {
  if (typeof schema.$ref !== 'string') return schema;
  const target = schema.$ref
    .slice('#/'.length)
    .split('/')
    .reduce<unknown>((at, key) => (at as Json | undefined)?.[key], document);
  return (target as Json | undefined) ?? {};
}

/** `X or null` as one schema, whether written as `anyOf` or as a list of types. */
function foldNull(document: Json, schema: Json): Json {
  const variants = schema.anyOf as readonly Json[] | undefined;
  if (variants?.length !== 2 || variants[1]?.type !== 'null') return schema;
  const other = resolve(document, variants[0]!);
  if (variantsOf(other) !== undefined) return schema;
  const { anyOf: _choice, ...rest } = schema;
  const values = other.enum as readonly unknown[] | undefined;
  return {
    ...rest,
    ...other,
    type: [...typesOf(other), 'null'],
    ...(values === undefined ? {} : { enum: [...values, null] }),
  };
}

const variantsOf = (schema: Json): readonly Json[] | undefined =>
  (schema.anyOf ?? schema.oneOf) as readonly Json[] | undefined;

/** Every previous variant must still be valid; a response may gain a variant only if clients can distinguish it. */
function compareVariants(comparison: Comparison, { before, after, at }: Sides): string[] {
  const old = variantsOf(before) ?? [before];
  const now = variantsOf(after) ?? [after];
  const used = new Set<number>();
  const breaks = old.flatMap((variant, index) => {
    const results = now.map((candidate) =>
      compareSchema({ ...comparison, seen: new Set(comparison.seen) }, { before: variant, after: candidate, at }),
    );
    const fit = results.findIndex((result) => result.length === 0);
    if (fit >= 0) {
      used.add(fit);
      return [];
    }
    const tag = nameOf(variant) ?? tagOf(comparison.previous, variant);
    const tagOfNow = (each: Json) => (nameOf(variant) === undefined ? tagOf(comparison.current, each) : nameOf(each));
    const same = tag === undefined ? index : now.findIndex((each) => tagOfNow(each) === tag);
    if (results[same] === undefined) return [`${at}: the variant ${tag ?? index + 1} was removed`];
    used.add(same);
    return results[same];
  });
  if (comparison.direction === 'request') return breaks;
  const gained = now.filter((each, index) => !used.has(index) && tagOf(comparison.current, each) === undefined);
  return [...breaks, ...gained.map((each) => `${at}: the type changed, it may now also be ${describeType(each)}`)];
}

/** The fixed value of an object variant, such as its `kind`: what clients branch on. */
function tagOf(document: Json, variant: Json): string | undefined {
  const properties = (resolve(document, variant).properties ?? {}) as Record<string, Json>;
  const tagged = Object.entries(properties).find(([, schema]) => schema.const !== undefined);
  return tagged && `${tagged[0]}=${JSON.stringify(tagged[1].const)}`;
}

const describeType = (schema: Json): string => [...typesOf(schema)].join(' or ') || 'anything';

function typesOf(schema: Json): Set<string> {
  const named = schema.type === undefined ? [] : [schema.type].flat();
  const listed = valuesOf(schema)?.map((value) => (value === null ? 'null' : typeof value)) ?? [];
  return new Set((named.length > 0 ? named : listed) as string[]);
}

/** A request may accept more types, a response may use fewer. No type at all means any. */
function compareTypes(direction: Direction, { before, after, at }: Sides): string[] {
  const [wide, narrow] =
    direction === 'request' ? [typesOf(after), typesOf(before)] : [typesOf(before), typesOf(after)];
  const fits = (type: string): boolean => wide.has(type) || (type === 'integer' && wide.has('number'));
  if (wide.size === 0 || (narrow.size > 0 && [...narrow].every(fits))) return [];
  return [`${at}: the type changed from ${describeType(before)} to ${describeType(after)}`];
}

function valuesOf(schema: Json): readonly unknown[] | undefined {
  if (schema.const !== undefined) return [schema.const];
  return schema.enum as readonly unknown[] | undefined;
}

/** Enums may grow in both directions: the contract requires clients to tolerate new values. */
function compareValues(direction: Direction, { before, after, at }: Sides): string[] {
  const old = valuesOf(before);
  const now = valuesOf(after);
  if (direction === 'request' && JSON.stringify(before.default) !== JSON.stringify(after.default)) {
    return [`${at}: the default changed from ${JSON.stringify(before.default)} to ${JSON.stringify(after.default)}`];
  }
  if (old === undefined) {
    return now === undefined || direction === 'response' ? [] : [`${at}: only listed values are accepted now`];
  }
  if (now === undefined) return direction === 'request' ? [] : [`${at}: the list of values was dropped`];
  return old
    .filter((value) => !now.includes(value))
    .map((value) => `${at}: the value ${JSON.stringify(value)} was removed`);
}

const LOWER = ['minLength', 'minItems', 'minimum', 'exclusiveMinimum'] as const;
const UPPER = ['maxLength', 'maxItems', 'maximum', 'exclusiveMaximum'] as const;
const SHAPE = ['pattern', 'format', 'multipleOf'] as const;

/** Limits of a request may only widen, those of a response only narrow. */
function compareBounds(direction: Direction, { before, after, at }: Sides): string[] {
  const breaks: string[] = [];
  const report = (keyword: string): void => {
    const limitOf = (schema: Json): string => (schema[keyword] === undefined ? 'none' : String(schema[keyword]));
    breaks.push(
      `${at}: ${keyword} is ${direction === 'request' ? 'narrower' : 'wider'}, ${limitOf(before)} became ${limitOf(after)}`,
    );
  };
  const tight = direction === 'request' ? after : before;
  const loose = direction === 'request' ? before : after;
  for (const keyword of LOWER) if (lower(tight, keyword) > lower(loose, keyword)) report(keyword);
  for (const keyword of UPPER) if (upper(tight, keyword) < upper(loose, keyword)) report(keyword);
  for (const keyword of SHAPE) {
    if (tight[keyword] !== undefined && tight[keyword] !== loose[keyword]) report(keyword);
  }
  return breaks;
}

const lower = (schema: Json, keyword: string): number => (schema[keyword] as number | undefined) ?? -Infinity;
const upper = (schema: Json, keyword: string): number => (schema[keyword] as number | undefined) ?? Infinity;

function compareObjects(comparison: Comparison, { before, after, at }: Sides): string[] {
  const old = (before.properties ?? {}) as Record<string, Json>;
  const now = (after.properties ?? {}) as Record<string, Json>;
  const wasRequired = new Set((before.required ?? []) as string[]);
  const isRequired = new Set((after.required ?? []) as string[]);
  const breaks = Object.entries(old).flatMap(([name, schema]) => {
    const next = now[name];
    if (next === undefined) return [`${at}: the field ${name} was removed`];
    return compareSchema(comparison, { before: schema, after: next, at: `${at}.${name}` });
  });
  if (comparison.direction === 'response') {
    const lost = [...wasRequired].filter((name) => !isRequired.has(name) && now[name] !== undefined);
    return [...breaks, ...lost.map((name) => `${at}: the field ${name} may now be missing`)];
  }
  const demanded = [...isRequired].filter((name) => !wasRequired.has(name));
  const closed = before.additionalProperties !== false && after.additionalProperties === false;
  return [
    ...breaks,
    ...demanded.map((name) => `${at}: the field ${name} is now required`),
    ...(closed ? [`${at}: unknown fields are now refused`] : []),
  ];
}

function compareItems(comparison: Comparison, { before, after, at }: Sides): string[] {
  if (before.items === undefined || after.items === undefined) return [];
  return compareSchema(comparison, { before: before.items as Json, after: after.items as Json, at: `${at}[]` });
}
