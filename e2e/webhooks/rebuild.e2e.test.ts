import { setTimeout as sleep } from 'node:timers/promises';
import type { EventPage, WebhookEvent } from '@atelier/contract';
import { createDb } from '@atelier/server/platform/db.ts';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { freePorts } from '../../scripts/sandbox/free-ports.ts';
import { makeAccount } from '../harness/account.ts';
import { call, until } from '../harness/client.ts';
import { type Stack, startStack } from '../harness/start-stack.ts';
import { endGeneration } from './end-generation.ts';
import { makeEndpoint } from './make-endpoint.ts';

const ENDS = 600;
const WRITERS = 8;

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({ services: inject('services') });
});
afterAll(() => stack?.stop());

test('a consumer that lost every webhook rebuilds the same list from the feed, during writes', async () => {
  const account = await makeAccount(stack, { runLimit: 1_000 });
  const [deadPort] = await freePorts(1);
  await makeEndpoint(stack, { accountId: account.accountId, url: `http://127.0.0.1:${deadPort}/` });
  const { url } = stack.api();
  const { key } = account;
  let isWriting = true;

  const read = async (limit: number): Promise<WebhookEvent[]> => {
    const seen: WebhookEvent[] = [];
    let after = '';
    for (;;) {
      const wasWriting = isWriting;
      const page = await call<EventPage>(url, `GET /v1/events?limit=${limit}${after}`, { key });
      expect(page.status).toBe(200);
      seen.push(...page.body.items);
      if (page.body.nextAfter !== null) after = `&after=${page.body.nextAfter}`;
      if (!page.body.hasMore) {
        if (!wasWriting && seen.length >= ENDS) return seen;
        await sleep(20);
      }
    }
  };
  const write = async () => {
    const writer = createDb({ url: stack.appUrl, applicationName: 'writer', maxConnections: WRITERS });
    let n = 0;
    await Promise.all(
      Array.from({ length: WRITERS }, async () => {
        while (n++ < ENDS) await endGeneration(writer, account);
      }),
    );
    await writer.pool.end();
    isWriting = false;
  };
  const [seen, seenInBigPages] = await Promise.all([read(7), read(100), write()]);

  const { rows } = await stack.db.pool.query<{ id: string; generation_id: string }>(
    'SELECT id, generation_id FROM event WHERE account_id = $1',
    [account.accountId],
  );
  expect(rows).toHaveLength(ENDS);
  const ids = (events: readonly WebhookEvent[]) => events.map(({ id }) => id);
  expect(ids(seen).sort()).toEqual(rows.map(({ id }) => id).sort());
  expect(ids(seenInBigPages).sort()).toEqual(ids(seen).sort());
  // The order is the same for every reader.
  expect(ids(seenInBigPages)).toEqual(ids(await readAgain(url, key)));
  for (const event of seen) {
    expect(event).toMatchObject({ type: 'generation.canceled', data: { generation: { status: 'canceled' } } });
  }
  await until('every delivery was attempted and failed', async () => {
    const [row] = (
      await stack.db.pool.query(`SELECT count(*)::int AS n FROM delivery WHERE attempts = 0 OR status = 'delivered'`)
    ).rows;
    return row?.n === 0;
  });
  console.log(`${ENDS} events, every webhook lost: two readers rebuilt the same list`);
  await stack.assertBooks();
});

async function readAgain(url: string, key: string): Promise<WebhookEvent[]> {
  const seen: WebhookEvent[] = [];
  for (let after = ''; ; ) {
    const { body } = await call<EventPage>(url, `GET /v1/events?limit=50${after}`, { key });
    seen.push(...body.items);
    if (!body.hasMore) return seen;
    after = `&after=${body.nextAfter}`;
  }
}
