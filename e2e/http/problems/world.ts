import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type OperationId, operations, type Scope } from '@atelier/contract';
import { greyPixels, makePng } from '@atelier/server/media/testing/make-png.ts';
import { runFfmpeg } from '@atelier/server/media/testing/make-samples.ts';
import type { BackingServices } from '../../../scripts/services.ts';
import { makeAccount, type TestAccount } from '../../harness/account.ts';
import { type Answer, type CallOptions, call, newIdempotencyKey, submit, until } from '../../harness/client.ts';
import { type Stack, startStack } from '../../harness/start-stack.ts';
import { formOf } from '../form.ts';

/** The test data: a running service, an account with a history, and a few uploads. */
export interface World {
  readonly stack: Stack;
  readonly account: TestAccount;
  readonly uploads: { readonly image: string; readonly wideImage: string; readonly shortVideo: string };
  readonly finishedId: string;
  /** A resumable upload without received bytes. */
  readonly resumableId: string;
  readonly video: Buffer;
  stop(): Promise<void>;
}

/** Makes the operation return the problem. */
export type Provoke = (world: World) => Promise<Answer>;

/** A request for every declared problem of every operation. A missing one does not compile. */
export type Provocations = {
  readonly [O in OperationId]: { readonly [C in (typeof operations)[O]['problems'][number]]: Provoke };
};

export async function createWorld(services: BackingServices): Promise<World> {
  const dir = await mkdtemp(join(tmpdir(), 'atelier-http-'));
  const stack = await startStack({ services, apis: 1, workers: 1 });
  const account = await makeAccount(stack, { runLimit: 50 });
  const videoPath = join(dir, 'a.mp4');
  await runFfmpeg(['-f', 'lavfi', '-i', 'testsrc2=s=160x120:r=10:d=1', '-pix_fmt', 'yuv420p', videoPath]);
  const video = await readFile(videoPath);
  await rm(dir, { recursive: true });
  const { url } = stack.api();
  const id = async (bytes: Buffer) => (await upload(url, account.key, bytes)).body.id as string;
  const [image, wideImage, shortVideo] = await Promise.all([
    id(picture({ width: 8, height: 8 })),
    id(picture({ width: 8_000, height: 2 })),
    id(video),
  ]);
  const finishedId = (await submit(url, { key: account.key, prompt: 'sim:fail:internal' })).body.id;
  await until('a generation has ended', async () => {
    const { body } = await call(url, `GET /v1/generations/${finishedId}`, { key: account.key });
    return body.status === 'failed';
  });
  const begun = await call(url, 'POST /v1/uploads/resumable', { key: account.key, json: { bytes: PIECE.length } });
  return {
    stack,
    account,
    uploads: { image, wideImage, shortVideo },
    finishedId,
    resumableId: begun.body.id,
    video,
    stop: () => stack.stop(),
  };
}

export function picture(size: { width: number; height: number }): Buffer {
  return makePng({ ...size, pixels: greyPixels(size) });
}

export function upload(url: string, key: string, bytes: Buffer): Promise<Answer> {
  return call(url, 'POST /v1/uploads', { key, ...formOf(bytes) });
}

const PIECE = picture({ width: 8, height: 8 });

const GOOD: { readonly [O in OperationId]?: () => CallOptions } = {
  createQuote: () => ({ json: { modelId: 'canvas', params: { prompt: 'sim:ok' } } }),
  createGeneration: () => ({
    json: { modelId: 'canvas', params: { prompt: 'sim:ok' }, maxCoins: 100 },
    headers: { 'idempotency-key': newIdempotencyKey() },
  }),
  createUpload: () => formOf(picture({ width: 8, height: 8 })),
  createResumableUpload: () => ({ json: { bytes: PIECE.length } }),
  appendResumableUpload: () => ({ body: PIECE, headers: { 'content-type': 'application/octet-stream' } }),
};

const QUERIES: { readonly [O in OperationId]?: string } = { appendResumableUpload: '?offset=0' };

export interface AskOptions extends Omit<CallOptions, 'key'> {
  readonly id?: string;
  readonly query?: string;
  /** Null: none. */
  readonly key?: string | null;
}

/** A valid request of the operation, changed by the options. */
export function ask(world: World, operation: OperationId, options: AskOptions = {}): Promise<Answer> {
  const { method, path } = operations[operation];
  const good = GOOD[operation]?.() ?? {};
  const { id, key = world.account.key, query = QUERIES[operation] ?? '', ...changes } = options;
  const known = path.startsWith('/v1/assets')
    ? world.uploads.image
    : path.startsWith('/v1/uploads')
      ? world.resumableId
      : world.finishedId;
  return call(world.stack.api().url, `${method} ${path.replace('{id}', id ?? known)}${query}`, {
    ...(key === null ? {} : { key }),
    ...good,
    ...changes,
    headers: { ...good.headers, ...changes.headers },
  });
}

export function otherScopes(operation: OperationId): Scope[] {
  return (['generate', 'read', 'uploads', 'account'] as const).filter((scope) => scope !== operations[operation].scope);
}
