import { randomBytes } from 'node:crypto';
import { createS3Store } from '@atelier/server/platform/object-store/s3-store.ts';
import { CreateBucketCommand, DeleteBucketCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import type { BackingServices } from '../services.ts';

/** A bucket that no other sandbox sweeps. */
export async function createSandboxBucket({ s3 }: Pick<BackingServices, 's3'>): Promise<string> {
  const name = `sandbox-${randomBytes(6).toString('hex')}`;
  await withClient(s3, (client) => client.send(new CreateBucketCommand({ Bucket: name })));
  return name;
}

/** Deletes the bucket and its content. */
export async function dropSandboxBucket({ s3 }: Pick<BackingServices, 's3'>, name: string): Promise<void> {
  const store = createS3Store({ ...s3, bucket: name });
  try {
    await withClient(s3, async (client) => {
      for (;;) {
        const page = await client.send(new ListObjectsV2Command({ Bucket: name }));
        const keys = (page.Contents ?? []).flatMap(({ Key }) => Key ?? []);
        if (keys.length === 0) break;
        await store.deleteMany(keys);
      }
      await client.send(new DeleteBucketCommand({ Bucket: name }));
    });
  } finally {
    await store.close();
  }
}

async function withClient<T>(s3: BackingServices['s3'], work: (client: S3Client) => Promise<T>): Promise<T> {
  const client = new S3Client({
    endpoint: s3.endpoint,
    region: s3.region,
    credentials: { accessKeyId: s3.accessKey, secretAccessKey: s3.secretKey },
    forcePathStyle: true,
  });
  try {
    return await work(client);
  } finally {
    client.destroy();
  }
}
