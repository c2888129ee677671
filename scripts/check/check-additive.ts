import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { JsonSchema, OpenApiDocument } from '../../packages/contract/src/openapi/document.ts';
import { requireOneOf } from '../../packages/contract/src/openapi/extract-components.ts';
import { compareOpenapi } from './compare-openapi.ts';
import type { Json } from './compare-schema.ts';

const CONTRACT = resolve(import.meta.dirname, '../../packages/contract');
const RELEASES = join(CONTRACT, 'releases');

const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

/** The OpenAPI document of the newest release. */
function findLastRelease(): string {
  const files = readdirSync(RELEASES).filter((name) => /^\d+\.\d+\.\d+\.json$/.test(name));
  const last = files.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1);
  if (last === undefined) throw new Error('No release to compare with in packages/contract/releases');
  return last;
}

/**
 * Requests that the service has always rejected, but that only a later OpenAPI document forbids. The earlier document is
 * compared as if it had this rule.
 */
const ALWAYS_EXACTLY_ONE: Readonly<Record<string, readonly string[]>> = {
  CreateGenerationBody: ['quoteToken', 'maxCoins'],
};

/** Defaults that moved into descriptions: client generators make a field with a `default` keyword required. */
const DEFAULT_IN_WORDS: Readonly<Record<string, string>> = { CreateQuoteBody: 'draft' };

/** The OpenAPI document of an earlier release, adjusted by the lists above. */
function restate(document: OpenApiDocument): OpenApiDocument {
  const schemas = Object.entries(document.components.schemas).map(([name, schema]) => {
    const { properties } = schema as { properties?: Record<string, JsonSchema> };
    const [fields, worded] = [ALWAYS_EXACTLY_ONE[name], DEFAULT_IN_WORDS[name]];
    if (properties === undefined) return [name, schema];
    if (fields !== undefined) return [name, { oneOf: fields.map((field) => requireOneOf(schema, field, fields)) }];
    if (worded === undefined) return [name, schema];
    const { default: _default, ...rest } = properties[worded] as JsonSchema;
    return [name, { ...schema, properties: { ...properties, [worded]: rest } }];
  });
  return { ...document, components: { ...document.components, schemas: Object.fromEntries(schemas) } };
}

const release = findLastRelease();
const breaks = compareOpenapi({
  previous: restate(readJson(join(RELEASES, release))) as unknown as Json,
  current: readJson(join(CONTRACT, 'openapi.json')),
});
for (const sentence of breaks) console.error(sentence);
if (breaks.length > 0) {
  console.error(`${breaks.length} change(s) would break clients of ${release}. Version 1 only adds.`);
  process.exitCode = 1;
}
