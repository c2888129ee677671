import type { Issue } from '@atelier/contract';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { invalidParams } from '../../platform/problem.ts';
import { listSchemaErrors, type SchemaError } from '../../platform/schema-errors.ts';
import { suggestName } from '../../platform/suggest-name.ts';
import { findTextError } from './parse-json.ts';

const MAX_ISSUES = 50;
/** A path may contain a name from the client; long paths are truncated. */
const MAX_PATH_LENGTH = 200;

/**
 * A validator made from the contract's schema. Its problem names every path. The contents of `params` are left to the
 * model's own descriptors, which report unknown, missing and wrong params together.
 */
export function createValidator(schema: TSchema, what: 'body' | 'query' | 'input'): (value: unknown) => void {
  const { properties = {} } = schema as { properties?: Record<string, TSchema> };
  const compiled = Compile(
    'params' in properties ? { ...schema, properties: { ...properties, params: { type: 'object' } } } : schema,
  );
  const names = Object.keys(properties);
  return (value) => {
    if (compiled.Check(value)) return;
    const issues: Issue[] = [];
    for (const error of listSchemaErrors(compiled, value)) {
      if (issues.length >= MAX_ISSUES) break;
      for (const issue of issuesOf(error, names)) {
        if (!issues.some((each) => each.path === issue.path)) issues.push(issue);
      }
    }
    throw invalidParams(`The ${what} is not valid`, issues);
  };
}

/** `/params/prompt` becomes `params.prompt`; a missing or unknown member is named itself rather than its parent. */
function issuesOf(error: SchemaError, names: readonly string[]): Issue[] {
  const path = error.path.join('.');
  if (error.missing.length > 0) {
    return error.missing.map((name) => issue(path === '' ? name : `${path}.${name}`, 'is required'));
  }
  const meant = error.isUnknownField ? suggestName(path, names) : null;
  return [issue(path, meant === null ? error.message : `${error.message}; did you mean ${meant}?`)];
}

function issue(path: string, message: string): Issue {
  return { path: path.slice(0, MAX_PATH_LENGTH), message };
}

/** An operation without a query schema accepts no query parameters. */
const NO_QUERY: TSchema = { type: 'object', properties: {}, additionalProperties: false };

/** Reads and checks the query of one operation. Unknown parameters are refused. */
export function createQueryReader(schema: TSchema = NO_QUERY): (query: unknown) => Record<string, unknown> {
  const check = createValidator(schema, 'query');
  return (query) => {
    const read = coerceQuery(schema, query as Record<string, unknown>);
    check(read);
    return read;
  };
}

/** Converts query strings to the types of the schema. Values that cannot be converted are left for the validator. */
export function coerceQuery(schema: TSchema, query: Record<string, unknown>): Record<string, unknown> {
  const properties =
    (schema as { properties?: Record<string, { type?: unknown; default?: unknown }> }).properties ?? {};
  const read: Record<string, unknown> = { ...query };
  for (const [name, property] of Object.entries(properties)) {
    const text = read[name];
    if (text === undefined) {
      if (property.default !== undefined) read[name] = property.default;
    } else if (typeof text === 'string') {
      const error = findTextError(text);
      if (error !== null) throw invalidParams('The query is not valid', [issue(name, error)]);
      if (property.type === 'integer' && /^-?\d{1,15}$/.test(text)) read[name] = Number(text);
      else if (property.type === 'boolean' && (text === 'true' || text === 'false')) read[name] = text === 'true';
    }
  }
  return read;
}
