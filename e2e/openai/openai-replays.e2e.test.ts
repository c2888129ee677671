import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lockAccount } from '@atelier/server/domain/accounts/lock-account.ts';
import { type Switch, setSwitch } from '@atelier/server/domain/operator/set-switch.ts';
import { statement, withTx } from '@atelier/server/platform/db.ts';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { makeFile, makeFolder } from '../files/make-file.ts';
import { makeAccount, makeKey, type TestAccount } from '../harness/account.ts';
import { type Answer, call, newIdempotencyKey, until } from '../harness/client.ts';
import { type Stack, startStack } from '../harness/start-stack.ts';

const CATALOG = fileURLToPath(new URL('../../catalog', import.meta.url));
const CAP = 500;

let stack: Stack;
let folder: Awaited<ReturnType<typeof makeFolder>>;
let picture: Buffer;
let recording: Buffer;

beforeAll(async () => {
  folder = await makeFolder();
  picture = await readFile(await makeFile(folder.dir, 'png'));
  recording = await readFile(await makeFile(folder.dir, 'wav'));
  stack = await startStack({ services: inject('services') });
});
afterEach(() => stack.assertBooks());
afterAll(async () => {
  await stack?.stop();
  await folder?.remove();
});

interface Sending {
  readonly key: string;
  readonly path?: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly file?: readonly [field: string, bytes: Buffer];
  readonly headers?: Record<string, string>;
  readonly url?: string;
}

const EDIT = { model: 'gpt-image-1', prompt: 'add a hat', response_format: 'url' };

/** Sends a form: an edit of the picture unless given. */
async function send(options: Sending): Promise<Answer> {
  const [field, bytes] = options.file ?? ['image', picture];
  const form = new FormData();
  for (const [name, value] of Object.entries(options.fields ?? EDIT)) form.set(name, value);
  form.set(field, new Blob([new Uint8Array(bytes)]), 'file');
  const encoded = new Response(form);
  return call(options.url ?? stack.api().url, `POST /openai/v1${options.path ?? '/images/edits'}`, {
    key: options.key,
    headers: {
      'content-type': encoded.headers.get('content-type') as string,
      'x-stainless-retry-count': '0',
      'x-consent': 'true',
      ...options.headers,
    },
    body: Buffer.from(await encoded.arrayBuffer()),
  });
}

const countUploads = async ({ accountId }: Pick<TestAccount, 'accountId'>) => {
  const [row] = await stack.db.query<{ count: number }>(
    statement(
      'e2e_openai_uploads',
      `SELECT count(*)::int AS count FROM asset WHERE account_id = $1 AND source = 'upload'`,
    ),
    [accountId],
  );
  return row?.count ?? 0;
};

const throwSwitch = (change: Switch) => withTx(stack.db, (tx) => setSwitch(tx, change, 'test'));

async function makeCapped(options: { coins?: number } = {}) {
  const account = await makeAccount(stack, options);
  const { key } = await makeKey(stack, account, { requestCap: CAP });
  return { ...account, key };
}

test('a refused edit leaves no uploads behind', async () => {
  const account = await makeCapped({ coins: 1 });
  const refusals = [
    { code: 'insufficient_quota', options: {} },
    { code: 'max_coins_exceeded', options: { headers: { 'x-max-coins': '1' } } },
    { code: 'model_not_found', options: { fields: { ...EDIT, model: 'gpt-4' } } },
    { code: 'invalid_value', options: { fields: { ...EDIT, n: '99' } } },
    { code: 'invalid_value', options: { fields: { ...EDIT, colour: 'red' } } },
  ];
  for (const { code, options } of refusals) {
    const refused = await send({ key: account.key, ...options });
    expect([refused.body.error?.code, await countUploads(account)]).toEqual([code, 0]);
  }
});

describe('with an Idempotency-Key, the original comes first', () => {
  test('a retry with another X-Max-Coins, or without one, is the same call', async () => {
    const account = await makeAccount(stack);
    const idempotencyKey = newIdempotencyKey();
    const withCeiling = (ceiling: Record<string, string>) =>
      send({ key: account.key, headers: { 'idempotency-key': idempotencyKey, ...ceiling } });
    const first = await withCeiling({ 'x-max-coins': '100' });
    expect(first.status).toBe(200);
    for (const ceiling of [{ 'x-max-coins': '200' }, { 'x-max-coins': '1' }, { 'x-max-coins': 'many' }, {}]) {
      const repeat = await withCeiling(ceiling);
      expect([repeat.status, repeat.headers['x-generation-id']]).toEqual([200, first.headers['x-generation-id']]);
    }
    // The same without a key, for the retries of the official clients.
    const counted = (retry: string, ceiling: string) =>
      send({ key: account.key, headers: { 'x-stainless-retry-count': retry, 'x-max-coins': ceiling } });
    const begun = await counted('0', '100');
    expect((await counted('1', '90')).headers['x-generation-id']).toBe(begun.headers['x-generation-id']);
    expect(await countUploads(account)).toBe(2);
  });

  test('in maintenance, on a disabled channel, with a locked account and after the alias is gone', async () => {
    const account = await makeCapped();
    const sent = { key: account.key, headers: { 'idempotency-key': newIdempotencyKey() } };
    const spoken = {
      key: account.key,
      path: '/audio/transcriptions',
      fields: { model: 'whisper-1' },
      file: ['file', recording] as const,
      headers: { 'idempotency-key': newIdempotencyKey() },
    };
    const first = await send(sent);
    const heard = await send(spoken);
    expect([first.status, heard.status]).toEqual([200, 200]);

    const expectRepeat = async (code: string, url = stack.api().url) => {
      await until(`a new request is refused with ${code}`, async () => {
        const { body } = await send({ key: account.key, url, headers: { 'idempotency-key': newIdempotencyKey() } });
        return body.error?.code === code;
      });
      const uploads = await countUploads(account);
      const repeat = await send({ ...sent, url });
      expect([repeat.status, repeat.headers['x-generation-id']]).toEqual([200, first.headers['x-generation-id']]);
      expect(repeat.body.data).toHaveLength(1);
      expect((await send({ ...spoken, url })).body).toEqual(heard.body);
      for (const other of [
        { fields: { ...EDIT, prompt: 'another hat' } },
        { fields: { nonsense: 'x' } },
        { file: ['image', recording] as const },
      ]) {
        const conflict = await send({ ...sent, ...other, url });
        expect([conflict.status, conflict.body.error.code]).toEqual([409, 'idempotency_conflict']);
      }
      expect(await countUploads(account)).toBe(uploads);
    };
    await throwSwitch({ kind: 'maintenance', message: 'Back at noon.' });
    await expectRepeat('maintenance');
    await throwSwitch({ kind: 'maintenance', message: null });
    await throwSwitch({ kind: 'channel', channel: 'api', closed: true });
    await expectRepeat('channel_disabled');
    await throwSwitch({ kind: 'channel', channel: 'api', closed: false });

    const catalog = join(folder.dir, 'catalog');
    await cp(CATALOG, catalog, { recursive: true });
    await writeFile(join(catalog, 'openai.yaml'), 'aliases: []\n');
    const { url } = await stack.start('api', { CATALOG_DIR: catalog });
    await expectRepeat('model_not_found', url);

    await withTx(stack.db, (tx) =>
      lockAccount(tx, { accountId: account.accountId, locked: true, reason: 'test', actor: 'test' }),
    );
    await expectRepeat('account_locked');
  });
});
