import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHUNK_BYTES, type OperationId } from '@atelier/contract';
import { runFfmpeg } from '@atelier/server/media/testing/make-samples.ts';
import { type Answer, call } from '../../harness/client.ts';
import type { guarded } from './guarded.ts';
import { switched } from './switched.ts';
import { withQuota } from './with-quota.ts';
import { ask, type Provocations, picture, type World } from './world.ts';

const BYTES_PER_MB = 1024 * 1024;

type Names = 'createResumableUpload' | 'getResumableUpload' | 'appendResumableUpload' | 'completeResumableUpload';

/** Problems of resumable uploads. */
export function resumable(options: {
  behindKey: (operation: OperationId) => ReturnType<typeof guarded>;
  longSound: () => Buffer;
}): Pick<Provocations, Names> {
  const { behindKey } = options;
  return {
    createResumableUpload: {
      ...behindKey('createResumableUpload'),
      ...switched('createResumableUpload'),
      invalid_params: (world) => ask(world, 'createResumableUpload', { json: { bytes: 0 } }),
      input_too_large: (world) =>
        ask(world, 'createResumableUpload', { json: { bytes: 1, mimeType: 'x'.repeat(300 * 1024) } }),
      upload_too_large: (world) => ask(world, 'createResumableUpload', { json: { bytes: 201 * BYTES_PER_MB } }),
      storage_quota_exceeded: withQuota((world) => ask(world, 'createResumableUpload')),
    },
    getResumableUpload: {
      ...behindKey('getResumableUpload'),
      not_found: (world) => ask(world, 'getResumableUpload', { id: randomUUID() }),
    },
    appendResumableUpload: {
      ...behindKey('appendResumableUpload'),
      ...switched('appendResumableUpload'),
      invalid_params: (world) => ask(world, 'appendResumableUpload', { query: '?offset=1' }),
      not_found: (world) => ask(world, 'appendResumableUpload', { id: randomUUID() }),
      upload_too_large: async (world) => {
        const start = Buffer.concat([picture({ width: 8, height: 8 }), Buffer.alloc(BYTES_PER_MB)]);
        return append(world, { id: await begin(world, 21 * BYTES_PER_MB), offset: 0, piece: start });
      },
      upload_invalid: (world) => sendPieces(world, Buffer.from('no media at all '.repeat(400))),
    },
    completeResumableUpload: {
      ...behindKey('completeResumableUpload'),
      ...switched('completeResumableUpload'),
      invalid_params: (world) => ask(world, 'completeResumableUpload'),
      not_found: (world) => ask(world, 'completeResumableUpload', { id: randomUUID() }),
      // It starts like a video, which has a higher limit; only the tracks show that it is audio.
      upload_too_large: async (world) => sendPieces(world, Buffer.concat([await soundInMp4(), freeBox(51)])),
      storage_quota_exceeded: async (world) => {
        const id = await sendAll(world, picture({ width: 64, height: 64 }));
        return withQuota((given) => complete(given, id))(world);
      },
      upload_too_long: (world) => sendPieces(world, options.longSound()),
      upload_invalid: (world) => sendPieces(world, picture({ width: 64, height: 64 }).subarray(0, 60)),
    },
  };
}

async function begin(world: World, bytes: number): Promise<string> {
  const { body } = await ask(world, 'createResumableUpload', { json: { bytes } });
  return body.id;
}

function append(world: World, given: { id: string; offset: number; piece: Buffer }): Promise<Answer> {
  return ask(world, 'appendResumableUpload', {
    id: given.id,
    query: `?offset=${given.offset}`,
    body: given.piece,
  });
}

/** Sends all chunks and completes the upload, until the first rejected request. */
async function sendPieces(world: World, file: Buffer): Promise<Answer> {
  const id = await begin(world, file.length);
  for (let offset = 0; offset < file.length; offset += CHUNK_BYTES) {
    const answer = await append(world, { id, offset, piece: file.subarray(offset, offset + CHUNK_BYTES) });
    if (answer.status !== 200) return answer;
  }
  return complete(world, id);
}

function complete(world: World, id: string): Promise<Answer> {
  return call(world.stack.api().url, `POST /v1/uploads/resumable/${id}/complete`, { key: world.account.key });
}

/** Uploads a small file without completing it. */
async function sendAll(world: World, file: Buffer): Promise<string> {
  const id = await begin(world, file.length);
  await append(world, { id, offset: 0, piece: file });
  return id;
}

async function soundInMp4(): Promise<Buffer> {
  const dir = await mkdtemp(join(tmpdir(), 'atelier-sound-'));
  try {
    await runFfmpeg(['-f', 'lavfi', '-i', 'sine=d=2', '-f', 'mp4', join(dir, 'a.mp4')]);
    return await readFile(join(dir, 'a.mp4'));
  } finally {
    await rm(dir, { recursive: true });
  }
}

function freeBox(megabytes: number): Buffer {
  const box = Buffer.alloc(megabytes * BYTES_PER_MB);
  box.writeUInt32BE(box.length, 0);
  box.write('free', 4);
  return box;
}
