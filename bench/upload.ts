import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Upload } from '@aws-sdk/lib-storage';
import { startFileStack } from '../e2e/files/file-stack.ts';
import { makeFolder, makeVideo } from '../e2e/files/make-file.ts';
import { sendUpload } from '../e2e/files/send-upload.ts';
import { makeAccount } from '../e2e/harness/account.ts';
import type { Bench } from './bench.ts';
import { inMegabytes, measureRate } from './files/measure-rate.ts';
import { openBucket } from './files/open-bucket.ts';
import { alternate } from './rounds.ts';

const FILE_MEGABYTES = 50;
const AT_ONCE = 4;

/**
 * Megabytes per second through `POST /v1/uploads`, which spools, probes, strips, renders previews, hashes and stores,
 * against the AWS SDK uploading the same file directly to the same bucket.
 */
export const benchUpload: Bench = async ({ services, seconds, rounds, say }) => {
  const folder = await makeFolder();
  const stack = await startFileStack({ services, workers: 0 });
  const client = openBucket(services);
  try {
    const { key } = await makeAccount(stack);
    const path = await makeVideo(folder.dir, FILE_MEGABYTES);
    const { size } = await stat(path);
    let n = 0;
    const straight = async () => {
      n += 1;
      const params = { Bucket: stack.bucket.name, Key: `a/bench/${n}/file`, Body: createReadStream(path) };
      await new Upload({ client, params }).done();
      return size;
    };
    const served = async () => {
      const { status } = await sendUpload(stack.api().url, { key, path });
      if (status !== 201) throw new Error(`an upload returned ${status}`);
      return size;
    };
    await Promise.all([straight(), served()]);
    const measure = async (transfer: () => Promise<number>) => {
      const rate = await measureRate({ seconds: seconds / rounds, atOnce: AT_ONCE, transfer });
      // The test bucket is in memory.
      await stack.bucket.store.deleteMany(await stack.bucket.keys());
      return inMegabytes(rate);
    };
    const measured = await alternate({ rounds, ours: () => measure(served), baseline: () => measure(straight) });
    const { ours: servedMbps, baseline: straightMbps, ratio } = measured;
    say(
      `SDK to the bucket     ${straightMbps.toFixed(0).padStart(5)} MB/s   ${FILE_MEGABYTES} MB files, ${AT_ONCE} concurrent uploads`,
    );
    say(`through POST uploads  ${servedMbps.toFixed(0).padStart(5)} MB/s   with probing, stripping, previews and hash`);
    say(`ratio ${ratio.toFixed(2)}`);
    return { straightMbps, servedMbps, ratio };
  } finally {
    client.destroy();
    await stack.stop();
    await folder.remove();
  }
};
