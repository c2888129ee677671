import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Asset, Generation } from '@atelier/contract';
import { exchange } from '@atelier/server/cdn/testing/exchange.ts';
import { startCellsEdge } from '@atelier/server/cdn/testing/start-cells-edge.ts';
import { hasNginx, type TestNginx } from '@atelier/server/cdn/testing/start-nginx.ts';
import { newApiKey } from '@atelier/server/domain/accounts/api-key.ts';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { makeAccount, type TestAccount } from '../harness/account.ts';
import { type Answer, call, newIdempotencyKey, submit, until } from '../harness/client.ts';
import { type Stack, startStack } from '../harness/start-stack.ts';
import { runMain } from './run-main.ts';

const COINS = 100_000;
const PRICE = 7;
/** On a busy machine. */
const MOVE_TIMEOUT_MS = 120_000;
/** Leaves the processors to the move. */
const POLL_MS = 200;
const TEST_TIMEOUT_MS = 600_000;
const CELLS = ['a', 'b'] as const;
type CellName = (typeof CELLS)[number];
const SELLING = {
  PAYMENTS: 'stripe',
  COIN_PACKAGES: '1000=1000',
  STRIPE_SECRET_KEY: 'sk_test_cells',
  STRIPE_WEBHOOK_SECRET: 'whsec_cells',
};

// On a developer's machine without nginx this is skipped; in CI it fails.
describe.skipIf(!hasNginx && process.env.CI === undefined)('two cells behind an edge', () => {
  const stacks = {} as Record<CellName, Stack>;
  let edge: TestNginx;
  let url: string;
  let dir: string;
  let mover: TestAccount;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'cells-'));
    const started = await Promise.all(
      CELLS.map((name) =>
        startStack({
          services: inject('services'),
          cdns: 1,
          env: { CELL: name, CDN_URL: `http://files-${name}.example.com`, ...(name === 'b' ? SELLING : {}) },
        }),
      ),
    );
    for (const [n, name] of CELLS.entries()) {
      stacks[name] = started[n] as Stack;
      const lines = Object.entries(stacks[name].env).map(([key, value]) => `${key}="${value}"\n`);
      await writeFile(join(dir, `${name}.env`), lines.join(''), { mode: 0o600 });
    }
    edge = await startCellsEdge({ a: portsOf(stacks.a), b: portsOf(stacks.b) });
    url = `http://127.0.0.1:${edge.port}`;
    mover = await makeAccount(stacks.a, { cell: 'a', coins: COINS });
  });
  afterAll(async () => {
    await edge?.close();
    await Promise.all(Object.values(stacks).map((stack) => stack.stop()));
    await rm(dir, { recursive: true, force: true });
  });

  const run = async (from: CellName, args: readonly string[]) => {
    const { code, stdout, stderr } = await runMain([...args, '--json'], stacks[from].env, MOVE_TIMEOUT_MS);
    expect(code, stderr).toBe(0);
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  const account = (command: string) => ['account', command, '--account', mover.accountId];
  const move = (from: CellName, to: CellName) =>
    run(from, [
      ...account('move'),
      ...['--to', join(dir, `${to}.env`), '--dir', join(dir, 'rows')],
      ...['--directory', join(edge.dir, 'directory'), '--nginx-pid', join(edge.dir, 'nginx.pid')],
    ]);
  const download = async (link: string) => exchange(link, { port: edge.port });
  const linkOf = (answer: Answer<Generation>) => (answer.body.outputs[0] as Asset).url;

  /** Submits and waits, as a client that retries what it is told to retry. */
  const generate = async (key: string, seen: number[] = []): Promise<Answer<Generation>> => {
    const idempotencyKey = newIdempotencyKey();
    const accepted = async () => {
      // When nginx reloads, it closes idle connections: a request that is just being sent on one is lost, and sent again.
      const answer = await submit(url, { key, idempotencyKey }).catch(() => null);
      if (answer !== null) seen.push(answer.status);
      return answer !== null && answer.status < 300 && answer;
    };
    const { body } = await until('the submit is accepted', accepted, MOVE_TIMEOUT_MS, POLL_MS);
    return ended(key, body.id);
  };
  const ended = (key: string, id: string) =>
    until(
      'the generation has ended',
      async () => {
        const answer = await call<Generation>(url, `GET /v1/generations/${id}`, { key }).catch(() => null);
        return answer?.status === 200 && answer.body.status === 'succeeded' && answer;
      },
      MOVE_TIMEOUT_MS,
      POLL_MS,
    );

  test('keys and links go to their cell, and an unknown key is 401', async () => {
    const inB = await makeAccount(stacks.b, { cell: 'b', coins: 42 });
    const balanceOf = async (key: string) => (await call(url, 'GET /v1/account', { key })).body.balance.available;
    expect([await balanceOf(mover.key), await balanceOf(inB.key)]).toEqual([COINS, 42]);
    for (const cell of ['a', 'b', 'zz']) {
      const answer = await call(url, 'GET /v1/account', { key: newApiKey({ cell, mode: 'live' }).key });
      expect([answer.status, answer.body.code]).toEqual([401, 'invalid_api_key']);
    }
    const link = linkOf(await generate(inB.key));
    expect(new URL(link).host).toBe('files-b.example.com');
    expect((await download(link)).status).toBe(200);
  });

  test('events of Stripe go to the cell in their path', async () => {
    const send = async (path: string) => (await exchange(`${url}${path}`, { method: 'POST' })).status;
    // Only the second cell sells coins. It refuses what Stripe did not sign.
    expect(await send('/cells/b/payments/stripe')).toBe(400);
    expect(await send('/cells/a/payments/stripe')).toBe(404);
    expect(await send('/payments/stripe')).toBe(404);
    expect(await send('/cells/zz/payments/stripe')).toBe(404);
  });

  test(
    'an account moves to the other cell and back while others work',
    async () => {
      const first = await generate(mover.key);
      const [link, id] = [linkOf(first), first.body.id];
      const picture = (await download(link)).body;
      let count = 1;

      const others = await Promise.all(CELLS.map((cell) => makeAccount(stacks[cell], { cell })));
      for (const [from, to] of [
        ['a', 'b'],
        ['b', 'a'],
      ] as const) {
        let moving = true;
        const otherStatuses: number[] = [];
        const statuses: number[] = [];
        const busy = others.map(async ({ key }) => {
          do await generate(key, otherStatuses);
          while (moving);
        });
        const mine = (async () => {
          do {
            await generate(mover.key, statuses);
            count += 1;
          } while (moving);
        })();
        try {
          expect(await move(from, to)).toMatchObject({ from, to });
        } finally {
          moving = false;
          await Promise.all([...busy, mine]);
        }
        expect(otherStatuses.length).toBeGreaterThanOrEqual(others.length);
        expect(new Set(otherStatuses)).toEqual(new Set([201]));
        // The last one was accepted by the new cell.
        expect(statuses.filter((status) => ![201, 503].includes(status))).toEqual([]);

        const again = await ended(mover.key, id);
        expect(new URL(linkOf(again)).host).toBe(`files-${to}.example.com`);
        expect((await download(linkOf(again))).body.equals(picture)).toBe(true);
        const { body } = await call(url, 'GET /v1/account', { key: mover.key });
        expect(body.balance.available).toBe(COINS - PRICE * count);
        expect(await coinsIn(stacks[from], mover)).toBe(0);
        expect(await coinsIn(stacks[to], mover)).toBe(COINS - PRICE * count);
        // Asked directly, the old cell tells the client to retry; links from before the move still work there.
        const direct = await call(stacks[from].api().url, `GET /v1/generations/${id}`, { key: mover.key });
        expect([direct.status, direct.body.code]).toEqual([503, 'unavailable']);
        if (from === 'a') expect((await download(link)).status).toBe(200);

        await run(from, [...account('move-forget'), '--now']);
        if (from === 'a') expect((await download(link)).status).toBe(404);
        await Promise.all(
          CELLS.map(async (name) => {
            await stacks[name].assertBooks();
            expect(await run(name, ['verify', '--objects'])).toMatchObject({ violations: 0 });
          }),
        );
      }
      expect((await generate(mover.key)).body.status).toBe('succeeded');
    },
    TEST_TIMEOUT_MS,
  );
});

function portsOf(stack: Stack): { api: number; cdn: number } {
  const port = (role: string) => Number(new URL(stack.members.find((each) => each.role === role)!.url).port);
  return { api: port('api'), cdn: port('cdn') };
}

async function coinsIn({ db }: Stack, { accountId }: TestAccount): Promise<number> {
  const { rows } = await db.pool.query<{ coins: number }>(
    'SELECT available + held AS coins FROM account WHERE id = $1',
    [accountId],
  );
  return rows[0]?.coins ?? 0;
}
