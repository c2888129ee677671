import type { Issue } from '@atelier/contract';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { Problem } from '../../platform/problem.ts';
import { listSchemaErrors, type SchemaError } from '../../platform/schema-errors.ts';
import { suggestName } from '../../platform/suggest-name.ts';
import { findTextFault } from './parse-json.ts';

const MAX_ISSUES = 50;
/** A path may hold a name that the client made up; a long one is cut. */
const MAX_PATH_LENGTH = 200;

/**
 * A checker made from the contract's own schema, which answers with a problem that names every path. What `params` holds
 * is left to the model's own descriptors: they tell unknown, missing and wrong params in one answer.
 */
export function createValidator(schema: TSchema, what: 'body' | 'query'): (value: unknown) => void {
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
    throw new Problem('invalid_params', describe(what, issues), { issues });
  };
}

function describe(what: string, issues: readonly Issue[]): string {
  const [first] = issues;
  if (first === undefined) return `The ${what} is not valid.`;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  return `The ${what} is not valid: ${first.path === '' ? 'it' : first.path} ${first.message}${more}.`;
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

/** An operation without a query schema knows no query parameter. */
const NO_QUERY: TSchema = { type: 'object', properties: {}, additionalProperties: false };

/** Reads and checks the query of one operation. A parameter that it does not know is refused. */
export function createQueryReader(schema: TSchema = NO_QUERY): (query: unknown) => Record<string, unknown> {
  const check = createValidator(schema, 'query');
  return (query) => {
    const read = coerceQuery(schema, query as Record<string, unknown>);
    check(read);
    return read;
  };
}

/** Query strings are text; the schema says what they mean. Values that do not read as their type are left for the check. */
export function coerceQuery(schema: TSchema, query: Record<string, unknown>): Record<string, unknown> {
  const properties =
    (schema as { properties?: Record<string, { type?: unknown; default?: unknown }> }).properties ?? {};
  const read: Record<string, unknown> = { ...query };
  for (const [name, property] of Object.entries(properties)) {
    const text = read[name];
    if (text === undefined) {
      if (property.default !== undefined) read[name] = property.default;
    } else if (typeof text === 'string') {
      const fault = findTextFault(text);
      if (fault !== null)
        throw new Problem('invalid_params', `The query is not valid: ${name} ${fault}.`, {
          issues: [issue(name, fault)],
        });
      if (property.type === 'integer' && /^-?\d{1,15}$/.test(text)) read[name] = Number(text);
      else if (property.type === 'boolean' && (text === 'true' || text === 'false')) read[name] = text === 'true';
    }
  }
  return read;
}
