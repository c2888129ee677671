import type { Operation } from '@atelier/contract';
import type { ConsoleOperation } from '@atelier/contract/console';
import type { DeskOperation } from '@atelier/contract/desk';
import type { Static, TSchema } from 'typebox';
import { ApiProblem, readProblem } from './problem.ts';
import { withRecentSignIn } from './reauthenticate.ts';

type Row = ConsoleOperation | DeskOperation | Operation;
/** Every operation by its method and path, as a call names it. */
type Routes = { [R in Row as `${R['method']} ${R['path']}`]: R };
export type Route = keyof Routes;

type Part<R, Name extends string> = R extends { readonly [K in Name]: infer S extends TSchema } ? Static<S> : unknown;
/** The public operations are served per account, although their own paths do not name it. */
type Params<R> = R extends Operation ? Part<R, 'params'> & { accountId: string } : Part<R, 'params'>;
type Input<R> = (unknown extends Params<R> ? unknown : { params: Params<R> }) &
  (unknown extends Part<R, 'query'> ? unknown : { query?: Part<R, 'query'> }) &
  (unknown extends Part<R, 'body'> ? unknown : { body: Part<R, 'body'> }) &
  (R extends { readonly idempotent: true } ? { idempotencyKey: string } : unknown);
export type ResponseOf<K extends Route> = Part<Routes[K], 'response'>;

interface LooseInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly idempotencyKey?: string;
}

const TIMEOUT_MS = 30_000;

/** The path of a request, with its params and its query. A path of the public API becomes one of the console. */
export function buildUrl(path: string, { params = {}, query = {} }: LooseInput = {}): string {
  const ofConsole = path.startsWith('/v1/') ? `/api/accounts/{accountId}${path}` : path;
  const filled = ofConsole.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
  return search.size === 0 ? filled : `${filled}?${search}`;
}

/** Calls an operation of the contract. Throws `ApiProblem`. An operation that needs a recent sign-in asks for one first. */
export async function request<K extends Route>(
  route: K,
  ...[input]: unknown extends Input<Routes[K]> ? [] : [Input<Routes[K]>]
): Promise<ResponseOf<K>> {
  const { body, idempotencyKey, ...rest } = (input ?? {}) as LooseInput;
  const [method = '', path = ''] = route.split(' ');
  const headers: Record<string, string> = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
  const attempt = () => send(method, buildUrl(path, rest), { body, headers }) as Promise<ResponseOf<K>>;
  return withRecentSignIn(
    attempt,
    (error) => error instanceof ApiProblem && error.code === 'reauthentication_required',
  );
}

/** Sends JSON, and the header that no other site can send. */
async function send(
  method: string,
  url: string,
  { body, headers }: { body: unknown; headers: Readonly<Record<string, string>> },
): Promise<unknown> {
  const isRead = method === 'GET';
  const response = await fetch(url, {
    method,
    credentials: 'same-origin',
    headers: isRead ? {} : { ...headers, 'content-type': 'application/json', 'x-atelier-console': '1' },
    ...(isRead ? {} : { body: JSON.stringify(body ?? {}) }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => {
    throw new ApiProblem(null);
  });
  if (!response.ok) throw await readProblem(response);
  return response.json().catch(() => null);
}
