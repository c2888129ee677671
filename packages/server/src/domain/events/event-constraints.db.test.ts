import { EVENT_TYPES, type GenerationStatus } from '@atelier/contract';
import { ENDPOINT_EVENTS } from '@atelier/contract/console';
import { expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../test/database.ts';
import { isTerminal, transitions } from '../generations/generation-states.ts';

const { owner } = await openTestDatabase();

const sorted = (types: Iterable<string>) => [...new Set(types)].sort();
const QUOTED_TYPE = /'((?:generation|budget)\.[a-z_]+)'/g;
const typesIn = (text: string) => [...text.matchAll(QUOTED_TYPE)].map((match) => match[1]!);

test.each([
  ['event', 'event_type_check', EVENT_TYPES],
  ['webhook_endpoint', 'webhook_endpoint_events_check', ENDPOINT_EVENTS],
])('the events of the contract are those that %s accepts', async (table, constraint, types) => {
  const { rows } = await owner.pool.query<{ definition: string }>(
    `SELECT pg_get_constraintdef(oid) AS definition FROM pg_constraint WHERE conrelid = $1::regclass AND conname = $2`,
    [table, constraint],
  );
  expect(rows.map(({ definition }) => sorted(typesIn(definition)))).toEqual([sorted(types)]);
});

test('the function that records events maps every final status to an event type of the contract', async () => {
  const { rows } = await owner.pool.query<{ source: string }>(
    `SELECT prosrc AS source FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosrc ~ 'INSERT INTO event\\y'`,
  );
  expect(rows.map(({ source }) => source.includes(`'generation.' || g.status`))).toEqual([true]);
  const final = (Object.keys(transitions) as GenerationStatus[]).filter(isTerminal);
  expect(sorted(final.map((status) => `generation.${status}`))).toEqual(sorted(EVENT_TYPES));
});

test('no SQL function names an event type that is not in the contract', async () => {
  const { rows } = await owner.pool.query<{ source: string }>(
    `SELECT prosrc AS source FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosrc IS NOT NULL`,
  );
  const unknown = rows
    .flatMap(({ source }) => typesIn(source))
    .filter((type) => !EVENT_TYPES.some((each) => each === type));
  expect(unknown).toEqual([]);
});
