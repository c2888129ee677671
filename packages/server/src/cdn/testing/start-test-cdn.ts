import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../platform/clock.ts';
import { createDirectoryStore } from '../../platform/object-store/directory-store.ts';
import type { ObjectStore } from '../../platform/object-store/object-store.ts';
import { type LinkDisposition, type LinkVariant, signLink } from '../../platform/signed-link.ts';
import { type CdnOptions, createCdnApp } from '../create-cdn-app.ts';
import type { ServedFile } from '../served-file.ts';

export interface TestCdn {
  readonly port: number;
  readonly key: Buffer;
  readonly dir: string;
  readonly store: ObjectStore;
  readonly rows: Map<string, ServedFile>;
  readonly logged: string[];
  add(file: { bytes: Uint8Array; mimeType?: string; filename?: string; variant?: LinkVariant }): Promise<string>;
  link(assetId: string, link?: LinkOptions): string;
  close(): Promise<void>;
}

interface LinkOptions {
  variant?: LinkVariant;
  disposition?: LinkDisposition;
  expiresInSeconds?: number;
}

export const TEST_KID = 'k1';

/** For tests: the cdn on a free port over a fresh directory; rows are a map. Links are signed for `origin`. */
export async function startTestCdn(
  options: Partial<CdnOptions> & { origin?: string; wrapStore?: (store: ObjectStore) => CdnOptions['store'] } = {},
): Promise<TestCdn> {
  const dir = await mkdtemp(join(tmpdir(), 'cdn-'));
  const store = createDirectoryStore({ path: join(dir, 'objects') });
  const key = randomBytes(32);
  const rows = new Map<string, ServedFile>();
  const logged: string[] = [];
  const clock: Clock = options.clock ?? { now: () => new Date() };
  const publicHosts = new Set<string>();
  const app = createCdnApp({
    lookup: async (assetId, variant) => rows.get(`${assetId}/${variant}`) ?? null,
    linkKeys: new Map([[TEST_KID, key]]),
    log: {
      warn: (message) => void logged.push(message),
      error: (message) => void logged.push(message),
    },
    ...options,
    store: options.wrapStore?.(store) ?? options.store ?? store,
    clock,
    publicHosts,
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as { port: number };
  const origin = options.origin ?? `http://127.0.0.1:${port}`;

  publicHosts.add(new URL(origin).host);

  return {
    port,
    key,
    dir,
    store,
    rows,
    logged,
    async add({ bytes, mimeType = 'video/mp4', filename = 'clip.mp4', variant = 'file' }) {
      const assetId = randomUUID();
      const objectKey = `o/${assetId}/${variant}`;
      await store.putBytes({ key: objectKey, bytes, contentType: mimeType });
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      rows.set(`${assetId}/${variant}`, { key: objectKey, bytes: bytes.length, sha256, mimeType, filename });
      return assetId;
    },
    link(assetId, { variant = 'file', disposition = 'inline', expiresInSeconds = 3600 } = {}) {
      const expiresAtSeconds = Math.floor(clock.now().getTime() / 1000) + expiresInSeconds;
      return signLink({ key, kid: TEST_KID, origin, assetId, variant, disposition, expiresAtSeconds });
    },
    async close() {
      app.server.closeAllConnections();
      await app.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
