import { randomBytes } from 'node:crypto';
import type { ObjectStore } from '@atelier/server/platform/object-store/object-store.ts';
import { createS3Store } from '@atelier/server/platform/object-store/s3-store.ts';
import { CreateBucketCommand, DeleteBucketCommand, S3Client } from '@aws-sdk/client-s3';
import type { BackingServices } from '../../scripts/services.ts';

export interface OwnBucket {
  readonly name: string;
  /** Direct access to the bucket, without the service. */
  readonly store: ObjectStore;
  /** Object keys, all or of one kind: assets or upload chunks. Owner markers are left out. */
  keys(kind?: 'a/' | 'u/'): Promise<string[]>;
  drop(): Promise<void>;
}

const PREFIX = /^cell-[a-z0-9]+\/[0-9a-f]+\//;
const FILE_KEY = /^(?:cell-[a-z0-9]+\/[0-9a-f]+\/)?[au]\//;

/** A bucket that no other stack sweeps. Without `create`, somebody else creates it under this name. */
export async function makeBucket(
  { s3 }: Pick<BackingServices, 's3'>,
  { create = true }: { create?: boolean } = {},
): Promise<OwnBucket> {
  const name = `files-${randomBytes(6).toString('hex')}`;
  const client = new S3Client({
    endpoint: s3.endpoint,
    region: s3.region,
    credentials: { accessKeyId: s3.accessKey, secretAccessKey: s3.secretKey },
    forcePathStyle: true,
  });
  if (create) await client.send(new CreateBucketCommand({ Bucket: name }));
  const store = createS3Store({ ...s3, bucket: name });
  const list = async () => (await store.list({ prefix: '', limit: 100_000 })).map((object) => object.key);
  const keys = async (kind?: string) =>
    (await list()).filter(
      (key) => FILE_KEY.test(key) && (kind === undefined || key.replace(PREFIX, '').startsWith(kind)),
    );
  return {
    name,
    store,
    keys,
    async drop() {
      await store.deleteMany(await list());
      await client.send(new DeleteBucketCommand({ Bucket: name }));
      await store.close();
      client.destroy();
    },
  };
}
