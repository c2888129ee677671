import type { Atelier, CreateGenerationBody, CreateQuoteBody } from '@atelier/sdk';

export interface SdkOperation {
  send(client: Atelier): PromiseLike<unknown>;
}

/** What a test gives to `call`. */
interface Given {
  readonly json?: unknown;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Asked {
  readonly id: string;
  readonly query: Readonly<Record<string, string>>;
  readonly json: unknown;
  readonly idempotencyKey: string | undefined;
}

const ID = '([A-Za-z0-9_-][A-Za-z0-9._-]{0,127})';

/** The operations of the API that the SDK has a method for, apart from uploads, whose tests send every form by hand. */
const OPERATIONS: Readonly<Record<string, (client: Atelier, asked: Asked) => PromiseLike<unknown>>> = {
  'GET /v1/models': (client, { query }) => client.models.list(query),
  [`GET /v1/models/${ID}`]: (client, { id }) => client.models.get(id),
  'GET /v1/effects': (client) => client.effects.list(),
  'POST /v1/quotes': (client, { json }) => client.quotes.create(json as CreateQuoteBody),
  'POST /v1/generations': (client, { json, idempotencyKey }) =>
    client.generations.create(json as CreateGenerationBody, { idempotencyKey }),
  'GET /v1/generations': (client, { query }) => client.generations.list(query),
  'GET /v1/generations/concurrency': (client) => client.generations.concurrency(),
  [`GET /v1/generations/${ID}`]: (client, { id }) => client.generations.get(id),
  [`POST /v1/generations/${ID}/cancel`]: (client, { id }) => client.generations.cancel(id),
  [`GET /v1/assets/${ID}`]: (client, { id }) => client.assets.get(id),
  'GET /v1/account': (client) => client.account.get(),
  'GET /v1/events': (client, { query }) => client.events.list(query),
};
const PATTERNS = Object.entries(OPERATIONS).map(([text, send]) => ({ pattern: new RegExp(`^${text}$`), send }));

/** Null if the SDK cannot send exactly this request: other headers, a body that is no JSON value, a repeated parameter. */
export function findSdkOperation(operation: string, options: Given): SdkOperation | null {
  const [target = '', search = '', ...rest] = operation.split('?');
  const found = PATTERNS.map(({ pattern, send }) => ({ send, match: pattern.exec(target) })).find(({ match }) => match);
  if (found === undefined || rest.length > 0 || options.body !== undefined) return null;
  const params = [...new URLSearchParams(search)];
  const query = Object.fromEntries(params);
  const takesQuery = /^GET \/v1\/(models|generations|events)$/.test(target);
  if (Object.keys(query).length !== params.length || (params.length > 0 && !takesQuery)) return null;
  const { 'idempotency-key': idempotencyKey, ...headers } = options.headers ?? {};
  const isSubmit = target === 'POST /v1/generations';
  if (Object.keys(headers).length > 0 || (idempotencyKey !== undefined) !== isSubmit) return null;
  const takesJson = isSubmit || target === 'POST /v1/quotes';
  if (takesJson !== (options.json !== undefined) || typeof options.json === 'string') return null;
  const asked = { id: found.match?.[1] ?? '', query, json: options.json, idempotencyKey };
  return { send: (client) => found.send(client, asked) };
}
