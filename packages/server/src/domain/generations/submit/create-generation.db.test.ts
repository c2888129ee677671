import { randomUUID } from 'node:crypto';
import type { CreateGenerationBody } from '@atelier/contract';
import { beforeEach, describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../../test/database.ts';
import { withTx } from '../../../platform/db.ts';
import { Problem } from '../../../platform/problem.ts';
import { updateApiKey } from '../../accounts/update-api-key.ts';
import { createQuote } from '../../quotes/create-quote.ts';
import { cancelGeneration } from '../cancel-generation.ts';
import { createMoneyPath, type PathAccount } from '../testing/create-money-path.ts';
import { callerOf, createPathServices } from '../testing/create-path-services.ts';
import { createGeneration } from './create-generation.ts';

const { db, owner } = await openTestDatabase();
const path = createMoneyPath({ db, owner });
let services = createPathServices(db);
beforeEach(() => {
  services = createPathServices(db);
});

const decode = (body: unknown) => body as CreateGenerationBody;
const refuseBody = () => {
  throw new Problem('invalid_params', 'The body is not valid.');
};

const submit = (
  account: PathAccount,
  body: Partial<CreateGenerationBody> = {},
  idempotencyKey: string = randomUUID(),
) =>
  createGeneration(services, callerOf(account), {
    body: { modelId: 'canvas', params: { prompt: 'sim:ok' }, ...body },
    decode,
    idempotencyKey,
  });

const quote = async (account: PathAccount, body: { modelId?: string; params?: object; effectId?: string } = {}) => {
  const { quoteToken } = await createQuote(services, callerOf(account), {
    modelId: 'canvas',
    params: { prompt: 'sim:ok' },
    ...body,
  });
  return quoteToken as string;
};

async function addUpload(account: PathAccount): Promise<string> {
  const id = randomUUID();
  await owner.pool.query(
    `INSERT INTO asset (id, account_id, source, kind, mime_type, bytes, sha256, width, height, object_key, variants)
     VALUES ($1, $2, 'upload', 'image', 'image/png', 1, sha256('x'), 8, 8, $3, '{}')`,
    [id, account.accountId, `uploads/${id}`],
  );
  return id;
}

describe('a submit', () => {
  test('returns the generation as a read does, and wakes the pool', async () => {
    const account = await path.makeAccount();
    const { generation, replayed } = await submit(account, { maxCoins: 21, params: { prompt: 'x', num_outputs: 3 } });
    expect(replayed).toBe(false);
    expect(generation).toMatchObject({ status: 'queued', coinsQuoted: 21, outputsRequested: 3, queuePosition: 1 });
    expect(generation.queueReason).toBe('capacity');
    expect(services.state.woken).toEqual(['run-simulator']);
    const canceled = await cancelGeneration(services, { accountId: account.accountId, id: generation.id });
    expect(canceled).toEqual({
      ...generation,
      status: 'canceled',
      coinsCharged: 0,
      queuePosition: null,
      queueReason: null,
      completedAt: expect.any(String),
    });
  });

  test('that must wait wakes nothing', async () => {
    const account = await path.makeAccount({ runLimit: 1 });
    const { generation: first } = await submit(account, { maxCoins: 7 });
    services.state.woken = [];
    const { generation } = await submit(account, { maxCoins: 7 });
    expect(generation).toMatchObject({ queuePosition: 2, queueReason: 'capacity' });
    await path.take(first.id);
    const { generation: third } = await submit(account, { maxCoins: 7 });
    expect(third).toMatchObject({ queuePosition: 2, queueReason: 'account_limit' });
    expect(services.state.woken).toEqual([]);
  });

  test.each([
    ['neither quote nor ceiling', {}, 'invalid_params'],
    ['both quote and ceiling', { quoteToken: 'q', maxCoins: 7 }, 'invalid_params'],
    ['a ceiling below the price', { maxCoins: 6 }, 'max_coins_exceeded'],
    ['an unknown model', { maxCoins: 7, modelId: 'nothing' }, 'unknown_model'],
    ['no consent where it is needed', { maxCoins: 7, modelId: 'portrait' }, 'consent_required'],
    ['a closed model', { maxCoins: 7, modelId: 'painter' }, 'unavailable'],
    ['a text that is no token', { quoteToken: 'q1.a.b.c' }, 'invalid_quote'],
  ] as const)('with %s is refused and holds nothing', async (_name, body, code) => {
    const account = await path.makeAccount({ coins: 100 });
    services.state.closedModels.add('painter');
    await expect(submit(account, body)).rejects.toMatchObject({ code });
    expect(await path.coinsOf(account)).toEqual({ available: 100, held: 0 });
  });

  test('above the cap of its key is refused, with a ceiling and with a quote', async () => {
    const account = await path.makeAccount({ coins: 100 });
    const limit = (requestCap: number) =>
      withTx(db, (tx) => updateApiKey(tx, { ...account, requestCap, actor: 'test' }));
    for (const agreed of [{ maxCoins: 50 }, { quoteToken: await quote(account) }]) {
      const idempotencyKey = randomUUID();
      await limit(6);
      await expect(submit(account, agreed, idempotencyKey)).rejects.toMatchObject({
        code: 'max_coins_exceeded',
        message: 'The price is 7 coins, above the per-request cap of this API key, 6 coins.',
      });
      await limit(7);
      const { generation } = await submit(account, agreed, idempotencyKey);
      expect(generation.coinsQuoted).toBe(7);
    }
    expect(await path.coinsOf(account)).toEqual({ available: 86, held: 14 });
  });

  test('is refused by a cap that was lowered after the request was authenticated', async () => {
    const account = await path.makeAccount({ coins: 100 });
    const authenticated = { ...callerOf(account), requestCap: 100 };
    await withTx(db, (tx) => updateApiKey(tx, { ...account, requestCap: 6, actor: 'test' }));
    const body = { modelId: 'canvas', params: { prompt: 'sim:ok' }, maxCoins: 50 };
    const request = { body, decode, idempotencyKey: randomUUID() };
    await expect(createGeneration(services, authenticated, request)).rejects.toMatchObject({
      code: 'max_coins_exceeded',
    });
    expect(await path.coinsOf(account)).toEqual({ available: 100, held: 0 });
  });

  test('stores the version of the consent', async () => {
    const account = await path.makeAccount();
    const { generation } = await submit(account, { maxCoins: 7, modelId: 'portrait', consent: true });
    const rows = await path.read('SELECT consent_version FROM generation WHERE id = $1', [generation.id]);
    expect(rows).toEqual([{ consent_version: expect.stringMatching(/^\d{4}-\d\d$/) }]);
  });

  test('needs consent by param only if the param is given', async () => {
    const account = await path.makeAccount();
    const image = await addUpload(account);
    const given = { maxCoins: 7, modelId: 'morph', params: { prompt: 'sim:ok', images: [image] } };
    await expect(submit(account, given)).rejects.toMatchObject({
      code: 'consent_required',
      issues: [{ path: 'consent', message: 'must be true if images is given' }],
    });
    const versionOf = async (id: string) =>
      (
        await path.read<{ version: string }>('SELECT consent_version AS version FROM generation WHERE id = $1', [id])
      )[0];
    const agreed = await submit(account, { ...given, consent: true });
    expect(await versionOf(agreed.generation.id)).toEqual({ version: expect.any(String) });
    const plain = await submit(account, { maxCoins: 7, modelId: 'morph' });
    expect(await versionOf(plain.generation.id)).toEqual({ version: null });
  });

  test('refused by the database reports the reason and the retry time', async () => {
    const account = await path.makeAccount({ coins: 0 });
    await expect(submit(account, { maxCoins: 7 })).rejects.toMatchObject({ code: 'insufficient_coins' });
    await owner.pool.query(`UPDATE account SET cooldown_until = now() + interval '1 minute' WHERE id = $1`, [
      account.accountId,
    ]);
    const refused = await submit(account, { maxCoins: 7 }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'cooldown', retryAfterSeconds: expect.any(Number) });
  });
});

describe('a repeated key', () => {
  test('finds its original with members in any order, but only with the same body', async () => {
    const account = await path.makeAccount();
    const key = randomUUID();
    const { generation } = await submit(account, { params: { prompt: 'x', num_outputs: 2 }, maxCoins: 50 }, key);
    const again = await submit(account, { maxCoins: 50, params: { num_outputs: 2, prompt: 'x' } }, key);
    expect([again.replayed, again.generation.id]).toEqual([true, generation.id]);
    for (const other of [{ maxCoins: 51 }, { projectId: 'p' }, { params: { prompt: 'x' } }]) {
      const body = { params: { prompt: 'x', num_outputs: 2 }, maxCoins: 50, ...other };
      await expect(submit(account, body, key)).rejects.toMatchObject({ code: 'idempotency_conflict' });
    }
  });

  test('finds its original after the price, the model or the account has changed', async () => {
    const account = await path.makeAccount({ coins: 7 });
    const key = randomUUID();
    const { generation } = await submit(account, { maxCoins: 7 }, key);
    services.state.perOutput = 9;
    expect(await submit(account, { maxCoins: 7 }, key)).toMatchObject({
      replayed: true,
      generation: { id: generation.id },
    });
    services.state.closedModels.add('canvas');
    expect(await submit(account, { maxCoins: 7 }, key)).toMatchObject({ replayed: true });
  });

  test('takes precedence over maintenance, a closed channel, a locked or cooling account, and a deleted upload', async () => {
    const account = await path.makeAccount();
    const key = randomUUID();
    const body = { maxCoins: 7, params: { prompt: 'x', images: [await addUpload(account)] } };
    const { generation } = await submit(account, body, key);
    await owner.pool.query('DELETE FROM asset WHERE account_id = $1', [account.accountId]);
    await owner.pool.query(
      `UPDATE account SET locked_at = now(), cooldown_until = now() + interval '1 minute' WHERE id = $1`,
      [account.accountId],
    );
    for (const closed of [{ maintenance: 'Back soon.' }, { closedChannels: new Set(['api']) }, {}]) {
      Object.assign(services.state, { maintenance: null, closedChannels: new Set() }, closed);
      expect(await submit(account, body, key)).toMatchObject({ replayed: true, generation: { id: generation.id } });
    }
  });

  test('with another body is a conflict, even if that body would be refused for another reason', async () => {
    const account = await path.makeAccount();
    const key = randomUUID();
    await submit(account, { maxCoins: 7 }, key);
    for (const body of [{ maxCoins: 1 }, { modelId: 7 }, { maxCoins: 7, nonsense: true }, [], null, undefined]) {
      const request = { body, decode: refuseBody, idempotencyKey: key };
      await expect(createGeneration(services, callerOf(account), request)).rejects.toMatchObject({
        code: 'idempotency_conflict',
      });
    }
    services.state.maintenance = 'Back soon.';
    await expect(submit(account, { maxCoins: 8 }, key)).rejects.toMatchObject({ code: 'idempotency_conflict' });
  });

  test('without an original is checked in order: switches, lock, cooldown, then the body', async () => {
    const account = await path.makeAccount();
    const request = { body: {}, decode: refuseBody, idempotencyKey: randomUUID() };
    const code = () =>
      createGeneration(services, callerOf(account), request).catch((error: { code: string }) => error.code);
    const set = (change: string) => owner.pool.query(`UPDATE account SET ${change} WHERE id = $1`, [account.accountId]);
    await set(`locked_at = now(), cooldown_until = now() + interval '1 minute'`);
    services.state.closedChannels.add('api');
    services.state.maintenance = 'Back soon.';
    expect(await code()).toBe('maintenance');
    services.state.maintenance = null;
    expect(await code()).toBe('channel_disabled');
    services.state.closedChannels.clear();
    expect(await code()).toBe('account_locked');
    await set('locked_at = NULL');
    expect(await code()).toBe('cooldown');
    await set('cooldown_until = NULL');
    expect(await code()).toBe('invalid_params');
  });
});

describe('a quote', () => {
  test('locks the price until it expires', async () => {
    const account = await path.makeAccount({ coins: 100 });
    const quoteToken = await quote(account);
    services.state.perOutput = 50;
    const { generation } = await submit(account, { quoteToken });
    expect(generation.coinsQuoted).toBe(7);
    expect(await path.coinsOf(account)).toEqual({ available: 93, held: 7 });
  });

  test('that expired is accepted at the same price', async () => {
    const account = await path.makeAccount();
    const quoteToken = await quote(account);
    services.state.offsetMs = 601_000;
    expect((await submit(account, { quoteToken })).generation.coinsQuoted).toBe(7);
  });

  test.each([6, 8, 50])('of 7 that expired is refused if the price is %i', async (price) => {
    const account = await path.makeAccount({ coins: 100 });
    const quoteToken = await quote(account);
    services.state.perOutput = price;
    services.state.offsetMs = 601_000;
    await expect(submit(account, { quoteToken })).rejects.toMatchObject({ code: 'price_changed' });
    expect(await path.coinsOf(account)).toEqual({ available: 100, held: 0 });
  });

  test('is valid until the moment that the response names, to the millisecond', async () => {
    const account = await path.makeAccount();
    const at = { now: new Date('2026-11-16T12:00:00.999Z') };
    services.clock = { now: () => at.now };
    const body = { modelId: 'canvas', params: { prompt: 'sim:ok' } };
    const { quoteToken, expiresAt } = await createQuote(services, callerOf(account), body);
    services.state.perOutput = 8;
    at.now = new Date(Date.parse(expiresAt) - 1);
    expect((await submit(account, { quoteToken: quoteToken! })).generation.coinsQuoted).toBe(7);
  });

  test('expires after ten minutes', async () => {
    const account = await path.makeAccount();
    const quoteToken = await quote(account);
    services.state.perOutput = 8;
    services.state.offsetMs = 590_000;
    expect((await submit(account, { quoteToken })).generation.coinsQuoted).toBe(7);
  });

  test('is refused for another account', async () => {
    const [account, other] = [await path.makeAccount(), await path.makeAccount()];
    const quoteToken = await quote(account);
    await expect(submit(other, { quoteToken })).rejects.toMatchObject({ code: 'invalid_quote' });
  });

  test.each([
    ['model', { modelId: 'painter' }],
    ['prompt', { params: { prompt: 'sim:ok ' } }],
    ['number of outputs', { params: { prompt: 'sim:ok', num_outputs: 4 } }],
    ['default spelt out', { params: { prompt: 'sim:ok', num_outputs: 1 } }],
  ] as const)('is refused for another %s', async (_name, change) => {
    const account = await path.makeAccount();
    const quoteToken = await quote(account);
    await expect(submit(account, { ...change, quoteToken })).rejects.toMatchObject({ code: 'invalid_quote' });
  });

  test('is refused for another effect, or for none', async () => {
    const account = await path.makeAccount();
    const params = { images: [await addUpload(account)] };
    const quoteToken = await quote(account, { modelId: 'painter', effectId: 'sketch', params });
    const body = { modelId: 'painter', params, quoteToken };
    await expect(submit(account, { ...body, effectId: 'glow' })).rejects.toMatchObject({ code: 'invalid_quote' });
    await expect(submit(account, body)).rejects.toMatchObject({ code: 'invalid_quote' });
    expect((await submit(account, { ...body, effectId: 'sketch' })).generation.effect).toEqual({
      id: 'sketch',
      text: null,
    });
  });

  test('has no token for a draft or a closed model, but has the price', async () => {
    const account = await path.makeAccount({ coins: 5 });
    const caller = callerOf(account);
    const body = { modelId: 'canvas', params: { num_outputs: 2 } };
    expect(await createQuote(services, caller, { ...body, draft: true })).toMatchObject({
      coins: 14,
      coinsPerOutput: 7,
      outputs: 2,
      quoteToken: null,
      availableCoins: 5,
    });
    services.state.closedModels.add('canvas');
    expect(await createQuote(services, caller, body)).toMatchObject({ coins: 14, quoteToken: null });
  });
});
