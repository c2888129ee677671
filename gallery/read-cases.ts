import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ASSET_KINDS, ParamValues } from '@atelier/contract';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { parse } from 'yaml';

const GalleryCase = Type.Object(
  {
    model: Type.String(),
    title: Type.String({ minLength: 1 }),
    params: Type.Optional(ParamValues),
    /** Files of gallery/inputs by media param. */
    inputs: Type.Optional(Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())]))),
    effect: Type.Optional(Type.String()),
    expect: Type.Object(
      {
        kind: Type.Enum(ASSET_KINDS),
        width: Type.Optional(Type.Integer()),
        height: Type.Optional(Type.Integer()),
        seconds: Type.Optional(Type.Number()),
        transparent: Type.Optional(Type.Boolean()),
        downloads: Type.Optional(Type.Array(Type.String())),
      },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false },
);
export type GalleryCase = Static<typeof GalleryCase>;

const cases = Compile(Type.Array(GalleryCase));

/** All cases of gallery/cases. */
export function readCases(dir: string): GalleryCase[] {
  const files = readdirSync(dir).filter((name) => name.endsWith('.yaml'));
  return files.sort().flatMap((name) => {
    const value: unknown = parse(readFileSync(join(dir, name), 'utf8'));
    if (cases.Check(value)) return value;
    const [first] = cases.Errors(value);
    throw new Error(`${name}: ${first?.instancePath ?? ''} ${first?.message ?? 'is not a list of cases'}`);
  });
}
