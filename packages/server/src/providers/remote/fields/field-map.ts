import type { ParamValue } from '@atelier/contract';
import Type, { type Static } from 'typebox';

const Closed = { additionalProperties: false } as const;
const Scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);
const Path = Type.String({ minLength: 1, maxLength: 200 });

export const Target = Type.Object(
  {
    field: Path,
    /** The type that the backend wants. */
    as: Type.Optional(Type.Enum(['text', 'integer', 'number'])),
    /** A number is multiplied, then added to: seconds to frames. */
    times: Type.Optional(Type.Number()),
    plus: Type.Optional(Type.Number()),
    /** Text before the value: the instruction that the customer's text completes. */
    prefix: Type.Optional(Type.String()),
    /** Values that are not sent: the backend's own default applies. */
    omit: Type.Optional(Type.Array(Scalar)),
    /** Ours is white where the picture changes. `alpha`: transparent there. `inverted`: black there. */
    mask: Type.Optional(Type.Enum(['alpha', 'inverted'])),
  },
  Closed,
);
export type Target = Static<typeof Target>;

const AnyTarget = Type.Union([Path, Target]);

const Lookup = Type.Object(
  {
    field: Path,
    /** The params whose values, with a space between, are looked up. */
    by: Type.Array(Type.String(), { minItems: 1, maxItems: 3 }),
    values: Type.Record(Type.String(), Scalar),
    /** If set, the value is appended to the field with this separator. */
    join: Type.Optional(Type.String()),
  },
  Closed,
);
export type Lookup = Static<typeof Lookup>;

/** How a route turns our params into the backend's fields. Part of every route's settings. */
export const fieldMapProperties = {
  map: Type.Optional(Type.Record(Type.String(), Type.Union([AnyTarget, Type.Array(AnyTarget, { maxItems: 8 })]))),
  lookups: Type.Optional(Type.Array(Lookup, { maxItems: 16 })),
  constants: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  /** The values that this route supports, where the model offers more: other requests are not sent to it. */
  accepts: Type.Optional(Type.Record(Type.String(), Type.Array(Scalar, { minItems: 1 }))),
};

export interface FieldMap {
  readonly map?: Readonly<Record<string, string | Target | readonly (string | Target)[]>>;
  readonly lookups?: readonly Lookup[];
  readonly constants?: Readonly<Record<string, unknown>>;
  readonly accepts?: Readonly<Record<string, readonly (string | number | boolean)[]>>;
}

export interface ValueField {
  readonly field: string;
  readonly value: unknown;
}

export interface FileField {
  readonly field: string;
  readonly files: readonly string[];
  /** The param is a list, even with one item. */
  readonly list: boolean;
  readonly mask?: 'alpha' | 'inverted';
}

/** One field to send: a value, or the files of an upload param. */
export type Field = ValueField | FileField;

export function targetsOf(map: NonNullable<FieldMap['map']>, param: string): readonly Target[] {
  const targets = map[param];
  if (targets === undefined) return [];
  return (Array.isArray(targets) ? targets : [targets]).map((each) =>
    typeof each === 'string' ? { field: each } : each,
  );
}

/** Undefined where nothing is to be sent. */
export function shapeValue(value: ParamValue, target: Target): unknown {
  if (target.omit?.some((each) => each === value)) return undefined;
  if (value === '') return undefined;
  let shaped: unknown = value;
  if (typeof value === 'string' && target.prefix !== undefined) shaped = `${target.prefix}${value}`;
  if (typeof value === 'number') shaped = value * (target.times ?? 1) + (target.plus ?? 0);
  if (target.as === 'text') return String(shaped);
  if (target.as === 'integer') return Math.round(Number(shaped));
  return target.as === 'number' ? Number(shaped) : shaped;
}
