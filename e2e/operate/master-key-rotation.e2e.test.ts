import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Asset } from '@atelier/contract';
import { verifySignature } from '@atelier/server/domain/webhooks/signatures/verify-signature.ts';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type FileStack, startFileStack } from '../files/file-stack.ts';
import { makeFile, makeFolder } from '../files/make-file.ts';
import { sendUpload } from '../files/send-upload.ts';
import { makeAccount } from '../harness/account.ts';
import { submit, until } from '../harness/client.ts';
import type { Member } from '../harness/start-stack.ts';
import { makeEndpoint } from '../webhooks/make-endpoint.ts';
import { runMain } from './run-main.ts';

let stack: FileStack;
let folder: Awaited<ReturnType<typeof makeFolder>>;
beforeAll(async () => {
  folder = await makeFolder();
  stack = await startFileStack({ services: inject('services'), cdns: 1 });
});
afterAll(async () => {
  await stack?.stop();
  await folder?.remove();
});

/** Restarts every process with these master keys, like an operator. */
async function restartWith(masterKey: string): Promise<Member> {
  const running = stack.members.filter((member) => member.alive());
  for (const member of running) member.signal('SIGTERM');
  await Promise.all(running.map((member) => member.gone()));
  const [api] = await Promise.all(
    (['api', 'worker', 'cdn'] as const).map((role) => stack.start(role, { MASTER_KEY: masterKey })),
  );
  return api as Member;
}

async function startReceiver() {
  const received: Array<{ body: string; signature: string }> = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push({ body, signature: String(request.headers['service-signature']) });
    response.writeHead(200).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    received,
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}

test('the master key is rotated as docs/operate says: webhooks keep their secret, old links end, and every invariant holds', async () => {
  const receiver = await startReceiver();
  const oldKey = stack.env.MASTER_KEY as string;
  const newKey = randomBytes(32).toString('base64');
  const { key, accountId } = await makeAccount(stack);
  const { secret } = await makeEndpoint(stack, { accountId, url: receiver.url });
  const png = await makeFile(folder.dir, 'png');
  const before = (await sendUpload(stack.api().url, { key, path: png })).body as Asset;
  expect((await fetch(before.url)).status).toBe(200);
  const deliver = async (api: Member) => {
    const count = receiver.received.length;
    expect((await submit(api.url, { key })).status).toBe(201);
    await until('the webhook arrives', async () => receiver.received.length > count);
    const { body, signature } = receiver.received.at(-1) as (typeof receiver.received)[number];
    expect(verifySignature({ secret, header: signature, body, nowSeconds: Date.now() / 1_000 })).toEqual({ ok: true });
  };
  await deliver(stack.api());

  const both = await restartWith(`${newKey},${oldKey}`);
  expect((await fetch(before.url)).status).toBe(200);
  await deliver(both);
  const reseal = async () => {
    const env = { ...stack.env, MASTER_KEY: `${newKey},${oldKey}` };
    const { code, stdout, stderr } = await runMain(['master-key', 'reseal', '--json', '--actor', 'Ada'], env);
    expect(code, stderr).toBe(0);
    return JSON.parse(stdout);
  };
  expect(await reseal()).toEqual({ resealed: 1, current: 0, unopenedEndpoints: [], unopenedPeople: [] });
  expect(await reseal()).toMatchObject({ resealed: 0, current: 1 });
  const during = (await sendUpload(both.url, { key, path: png })).body as Asset;

  const alone = await restartWith(newKey);
  await deliver(alone);
  expect((await fetch(during.url)).status).toBe(200);
  expect((await fetch(before.url)).status).toBe(403);
  const verified = await runMain(['verify', '--objects'], { ...stack.env, MASTER_KEY: newKey });
  expect(verified.code, verified.stdout + verified.stderr).toBe(0);
  await receiver.stop();
});
