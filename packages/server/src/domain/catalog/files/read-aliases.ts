import { ParamValues } from '@atelier/contract';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { type CatalogModel, OPENAI_USES, type OpenaiAlias } from '../catalog.ts';
import { fitsUse } from '../openai-alias.ts';
import { checkShape } from './check-shape.ts';
import type { Source } from './parse-source.ts';
import type { Report } from './report.ts';

const MAX_ALIASES = 500;
const MAX_FIELDS = 32;
const Closed = { additionalProperties: false } as const;
const Name = Type.String({ minLength: 1, maxLength: 128 });

const AliasFile = Type.Object(
  {
    aliases: Type.Array(
      Type.Object(
        {
          name: Name,
          uses: Type.Array(Type.Enum(OPENAI_USES), { minItems: 1, uniqueItems: true }),
          modelId: Name,
          default: Type.Optional(Type.Boolean()),
          responseFormat: Type.Optional(Type.Enum(['url', 'b64_json'])),
          ignore: Type.Optional(Type.Array(Name, { maxItems: MAX_FIELDS })),
          values: Type.Optional(
            Type.Record(Type.String(), Type.Record(Type.String(), ParamValues), { maxProperties: MAX_FIELDS }),
          ),
        },
        Closed,
      ),
      { maxItems: MAX_ALIASES },
    ),
  },
  Closed,
);
const aliasFileShape = Compile(AliasFile);

/** The aliases of `openai.yaml`. Models are checked only if all files of models were read. */
export function readAliases(
  source: Source,
  options: { models: ReadonlyMap<string, CatalogModel>; modelsAreWhole: boolean; report: Report },
): OpenaiAlias[] {
  const { value } = source;
  const { models, modelsAreWhole, report } = options;
  if (!checkShape({ shape: aliasFileShape, value, at: [], report })) return [];
  const { aliases } = value as Static<typeof AliasFile>;
  const seen = new Set<string>();
  for (const [index, alias] of aliases.entries()) {
    const at = ['aliases', index];
    const model = models.get(alias.modelId);
    if (model === undefined && modelsAreWhole) report([...at, 'modelId'], `there is no model ${alias.modelId}`);
    for (const use of alias.uses) {
      if (model !== undefined && !fitsUse(model.entry, use)) {
        report([...at, 'uses'], `the model ${alias.modelId} cannot be used for ${use}`);
      }
      for (const key of alias.default === true ? [`${use} ${alias.name}`, use] : [`${use} ${alias.name}`]) {
        if (seen.has(key)) report([...at, 'name'], key === use ? `${use} has two defaults` : `${key} is used twice`);
        seen.add(key);
      }
    }
    for (const [field, values] of Object.entries(alias.values ?? {})) {
      for (const [name, params] of Object.entries(values)) {
        const stranger = Object.keys(params).find((each) => model?.entry.params.every((own) => own.name !== each));
        if (stranger !== undefined) report([...at, 'values', field, name], `${stranger} is not a param of the model`);
      }
    }
  }
  return aliases as OpenaiAlias[];
}
