import { type Comparison, compareSchema, type Direction, type Json } from './compare-schema.ts';

interface Documents {
  readonly previous: Json;
  readonly current: Json;
}

interface Sides {
  readonly before: Json;
  readonly after: Json;
  readonly at: string;
}

/** The documents, and the named schemas already compared over all operations. */
type Schemas = Omit<Comparison, 'direction'>;

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'] as const;

/** One message for each change in `current` that would break a client of `previous`. Additions break nothing. */
export function compareOpenapi(documents: Documents): string[] {
  const schemas: Schemas = { ...documents, seen: new Set() };
  const { previous, current } = documents;
  return [
    ...comparePaths(schemas, { before: map(previous.paths), after: map(current.paths), at: 'path' }),
    ...comparePaths(schemas, { before: map(previous.webhooks), after: map(current.webhooks), at: 'webhook' }),
    ...missing(map(map(previous.components).schemas), map(map(current.components).schemas)).map(
      (name) => `schema ${name}: the name was removed`,
    ),
  ];
}

const map = (value: unknown): Json => (value ?? {}) as Json;
const missing = (before: Json, after: Json): string[] => Object.keys(before).filter((key) => after[key] === undefined);

/** Entries that both sides have, by key. */
function both({ before, after }: Pick<Sides, 'before' | 'after'>): Array<{ key: string; before: Json; after: Json }> {
  return Object.keys(before)
    .filter((key) => after[key] !== undefined)
    .map((key) => ({ key, before: map(before[key]), after: map(after[key]) }));
}

/** Parameters and media types both have a `schema` member. */
function compareHeld(schemas: Schemas, direction: Direction, { before, after, at }: Sides): string[] {
  const sides = { before: map(before.schema), after: map(after.schema), at };
  return compareSchema({ ...schemas, direction }, sides);
}

function comparePaths(schemas: Schemas, { before, after, at }: Sides): string[] {
  // The service writes a webhook's body and headers, the client reads them.
  const sent: Direction = at === 'webhook' ? 'response' : 'request';
  return [
    ...missing(before, after).map((path) => `${at} ${path}: was removed`),
    ...both({ before, after }).flatMap((path) =>
      METHODS.flatMap((method) => {
        if (path.before[method] === undefined) return [];
        if (path.after[method] === undefined) return [`${at} ${path.key}: ${method.toUpperCase()} was removed`];
        const sides = { before: map(path.before[method]), after: map(path.after[method]) };
        return compareOperation(schemas, sent, { ...sides, at: `${method.toUpperCase()} ${path.key}` });
      }),
    ),
  ];
}

function compareOperation(schemas: Schemas, sent: Direction, { before, after, at }: Sides): string[] {
  const renamed = before.operationId !== after.operationId;
  const secured = JSON.stringify(before.security) !== JSON.stringify(after.security);
  const opened = Array.isArray(after.security) && after.security.length === 0;
  return [
    ...(renamed ? [`${at}: the operation ${before.operationId} is now called ${after.operationId}`] : []),
    ...(secured && !opened ? [`${at}: another scope or credential is asked for`] : []),
    ...compareParameters(schemas, sent, { before, after, at }),
    ...compareBody(schemas, sent, { before, after, at }),
    ...compareResponses(schemas, { before: map(before.responses), after: map(after.responses), at }),
  ];
}

function compareParameters(schemas: Schemas, sent: Direction, { before, after, at }: Sides): string[] {
  const old = byName(before.parameters);
  const now = byName(after.parameters);
  const added = missing(now, old).filter((key) => sent === 'request' && map(now[key]).required === true);
  return [
    ...missing(old, now).map((key) => `${at}: the ${key} was removed`),
    ...added.map((key) => `${at}: the ${key} is new and required`),
    ...both({ before: old, after: now }).flatMap(({ key, before, after }) => [
      ...(sent === 'request' && before.required !== true && after.required === true
        ? [`${at}: the ${key} is now required`]
        : []),
      ...(sent === 'response' && before.required === true && after.required !== true
        ? [`${at}: the ${key} may now be missing`]
        : []),
      ...compareHeld(schemas, sent, { before, after, at: `${at} ${key}` }),
    ]),
  ];
}

function byName(parameters: unknown): Json {
  const list = (parameters ?? []) as Json[];
  return Object.fromEntries(list.map((each) => [`${each.in} parameter ${each.name}`, each]));
}

function compareBody(schemas: Schemas, sent: Direction, { before, after, at }: Sides): string[] {
  const [old, now] = [map(before.requestBody), map(after.requestBody)];
  if (before.requestBody !== undefined && after.requestBody === undefined)
    return [`${at}: the request body was removed`];
  const demanded = sent === 'request' && old.required !== true && now.required === true;
  return [
    ...(demanded ? [`${at}: a request body is now required`] : []),
    ...compareContent(schemas, sent, { before: map(old.content), after: map(now.content), at: `${at} request` }),
  ];
}

function compareContent(schemas: Schemas, direction: Direction, { before, after, at }: Sides): string[] {
  return [
    ...missing(before, after).map((type) => `${at}: the content type ${type} was removed`),
    ...both({ before, after }).flatMap((media) => compareHeld(schemas, direction, { ...media, at })),
  ];
}

function compareResponses(schemas: Schemas, { before, after, at }: Sides): string[] {
  return [
    ...missing(before, after).map((status) => `${at}: the status ${status} was removed`),
    ...both({ before, after }).flatMap(({ key, before, after }) => {
      const place = `${at} ${key}`;
      const headers = missing(map(before.headers), map(after.headers));
      const codes = (after['x-problem-codes'] ?? []) as string[];
      const lost = ((before['x-problem-codes'] ?? []) as string[]).filter((code) => !codes.includes(code));
      return [
        ...headers.map((name) => `${place}: the header ${name} was removed`),
        ...lost.map((code) => `${place}: the problem code ${code} was removed`),
        ...compareContent(schemas, 'response', { before: map(before.content), after: map(after.content), at: place }),
      ];
    }),
  ];
}
