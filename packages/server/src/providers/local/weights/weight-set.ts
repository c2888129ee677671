import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { listSchemaErrors } from '../../../platform/schema-errors.ts';

const Closed = { additionalProperties: false } as const;
const SAFE_PATH = '^(?!/)(?!.*(^|/)\\.\\.(/|$))[A-Za-z0-9._/-]{1,200}$';

/** A registry package that contains weights, and which of its files are used. */
const WeightSet = Type.Object(
  {
    id: Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,63}$' }),
    title: Type.String({ minLength: 1 }),
    package: Type.String({ pattern: '^(@[a-z0-9._-]+/)?[a-z0-9._-]+$' }),
    version: Type.String({ pattern: '^[0-9]+\\.[0-9]+\\.[0-9]+$' }),
    /** Of the tarball, as the registry writes it. */
    integrity: Type.String({ pattern: '^sha512-[A-Za-z0-9+/]{86}==$' }),
    tarballBytes: Type.Integer({ minimum: 1 }),
    licence: Type.String({ minLength: 1 }),
    provenance: Type.String({ minLength: 1 }),
    files: Type.Array(
      Type.Object(
        {
          name: Type.String({ pattern: SAFE_PATH }),
          /** Several parts are concatenated in this order. */
          from: Type.Array(Type.String({ pattern: SAFE_PATH }), { minItems: 1 }),
          bytes: Type.Integer({ minimum: 1 }),
          sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
        },
        Closed,
      ),
      { minItems: 1 },
    ),
  },
  Closed,
);
export type WeightSet = Static<typeof WeightSet>;

const weightSets = Compile(Type.Array(WeightSet));

/** Reads catalog/weights.json. */
export function readWeightSets(path: string): WeightSet[] {
  const sets: unknown = JSON.parse(readFileSync(path, 'utf8'));
  if (weightSets.Check(sets)) return sets;
  const [first] = listSchemaErrors(weightSets, sets);
  throw new Error(`${path}: ${first?.path.join('.') ?? ''} ${first?.message ?? 'is not a list of weights'}`);
}

/** Whether every file exists with its size. `weights verify` checks their contents. */
export function hasWeightSet(options: { weightsDir: string; set: WeightSet }): boolean {
  return options.set.files.every(({ name, bytes }) => {
    const found = statSync(join(options.weightsDir, options.set.id, name), { throwIfNoEntry: false });
    return found?.size === bytes;
  });
}
