import { type OperationId, type OperationRow, operations } from '@atelier/contract';
import fc, { type Arbitrary } from 'fast-check';
import { arbitraryOf, type Schema } from './arbitrary-of.ts';
import type { Known } from './known.ts';
import { likelyBody } from './recipes.ts';
import { nasty, nastyText, spoil } from './spoil.ts';

/** A fuzzed request; its parts are named, so that a failure is readable. */
export interface FuzzRequest {
  readonly method: string;
  readonly path: string;
  readonly auth: 'good' | 'none' | 'unknown' | 'nonsense';
  readonly headers: Readonly<Record<string, string>>;
  /** The text of the body; undefined for none. */
  readonly body: string | undefined;
  /** The body as a value, or undefined if it is not JSON. */
  readonly value: unknown;
}

export function requestOf(operation: OperationId, known: Known): Arbitrary<FuzzRequest> {
  const row: OperationRow = operations[operation];
  return fc
    .record({
      method: fc.constant(row.method),
      path: pathOf(row, known),
      auth: fc.oneof(
        { weight: 12, arbitrary: fc.constant('good' as const) },
        { weight: 1, arbitrary: fc.constantFrom('none' as const, 'unknown' as const, 'nonsense' as const) },
      ),
      headers: headersOf(row),
      body: row.method === 'POST' ? bodyOf(operation, known) : fc.constant({ text: undefined, value: undefined }),
    })
    .map(({ body, ...request }) => ({ ...request, body: body.text, value: body.value }));
}

function pathOf(row: OperationRow, known: Known): Arbitrary<string> {
  const ids = idsOf(row.path, known);
  const id = fc.oneof(
    fc.constantFrom(...ids),
    fc.uuid(),
    fc.uuid().map((text) => text.toUpperCase()),
    // Never empty: that would be another path.
    nastyText.map((text) => encodeURIComponent(`${text.slice(0, 1_000).toWellFormed()}x`)),
  );
  const place = row.path.includes('{id}') ? id.map((text) => row.path.replace('{id}', text)) : fc.constant(row.path);
  if (row.query === undefined) return fc.tuple(place, fc.constantFrom('', '?', '?a=1')).map((parts) => parts.join(''));
  return fc
    .tuple(place, queryOf(row.query as Schema, known))
    .map(([path, query]) => (query === '' ? path : `${path}?${query}`));
}

function queryOf({ properties = {} }: Schema, known: Known): Arbitrary<string> {
  const good = Object.entries(properties).map(([name, schema]) => {
    const value = fc.oneof(arbitraryOf(schema).map(String), fc.constantFrom(...known.cursors, ...known.modelIds));
    return value.map((text) => [name, text] as const);
  });
  const odd = fc.tuple(fc.oneof(fc.constantFrom(...Object.keys(properties)), nastyText), nastyText);
  const field = fc.oneof({ weight: 5, arbitrary: fc.oneof(...good) }, { weight: 1, arbitrary: odd });
  return fc
    .array(field, { maxLength: 4 })
    .map((fields) =>
      new URLSearchParams(fields.map(([name, text]): [string, string] => [name, text.slice(0, 2_000)])).toString(),
    );
}

function headersOf(row: OperationRow): Arbitrary<Record<string, string>> {
  const idempotencyKey = fc.oneof(
    { weight: 8, arbitrary: fc.stringMatching(/^[A-Za-z0-9_-]{16,64}$/) },
    { weight: 1, arbitrary: fc.stringMatching(/^[!-~]{1,40}$/) },
  );
  const contentType = fc.oneof(
    { weight: 12, arbitrary: fc.constant('application/json') },
    {
      weight: 1,
      arbitrary: fc.constantFrom('application/json;charset=utf-16', 'text/plain', 'multipart/form-data', 'x'),
    },
  );
  if (row.method !== 'POST') return fc.constant({});
  return fc.record({
    'content-type': contentType,
    ...(row.idempotent === true ? { 'idempotency-key': idempotencyKey } : {}),
  }) as Arbitrary<Record<string, string>>;
}

function bodyOf(operation: OperationId, known: Known): Arbitrary<{ text: string | undefined; value: unknown }> {
  const row: OperationRow = operations[operation];
  const written = (value: unknown) => ({ text: JSON.stringify(value), value });
  if (row.body === undefined) {
    return fc.oneof(fc.constant({ text: undefined, value: undefined }), nasty.map(written));
  }
  const fromSchema = arbitraryOf(row.body as Schema);
  const likely = likelyBody(operation, known);
  const value: Arbitrary<unknown> = fc.oneof({ weight: 2, arbitrary: likely }, { weight: 1, arbitrary: fromSchema });
  const cut = fc.tuple(value, fc.nat()).map(([whole, at]) => {
    const text = JSON.stringify(whole);
    return { text: text.slice(0, at % text.length), value: undefined };
  });
  return fc.oneof(
    { weight: 4, arbitrary: value.map(written) },
    { weight: 6, arbitrary: spoil(value).map(written) },
    { weight: 1, arbitrary: nasty.map(written) },
    { weight: 1, arbitrary: cut },
  );
}

function idsOf(path: string, known: Known): readonly string[] {
  if (path.startsWith('/v1/models')) return known.modelIds;
  if (path.startsWith('/v1/assets')) return known.assetIds;
  return path.startsWith('/v1/uploads') ? known.resumableIds : known.generationIds;
}
