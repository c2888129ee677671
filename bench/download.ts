import { get } from 'node:http';
import type { Asset } from '@atelier/contract';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { startFileStack } from '../e2e/files/file-stack.ts';
import { makeFolder, makeVideo } from '../e2e/files/make-file.ts';
import { sendUpload } from '../e2e/files/send-upload.ts';
import { makeAccount } from '../e2e/harness/account.ts';
import type { Bench } from './bench.ts';
import { inMegabytes, measureRate } from './files/measure-rate.ts';
import { openBucket } from './files/open-bucket.ts';

const FILE_MEGABYTES = 50;
const AT_ONCE = 4;
const ROUNDS = 4;

/** Megabytes per second of signed links against the AWS SDK reading the same object from the bucket. */
export const benchDownload: Bench = async ({ services, seconds, say }) => {
  const folder = await makeFolder();
  const stack = await startFileStack({ services, workers: 0, cdns: 1 });
  const client = openBucket(services);
  try {
    const { key, accountId } = await makeAccount(stack);
    const path = await makeVideo(folder.dir, FILE_MEGABYTES);
    const asset: Asset = (await sendUpload(stack.api().url, { key, path })).body;
    const object = { Bucket: stack.bucket.name, Key: `${stack.keyPrefix}a/${accountId}/${asset.id}/file` };
    const straight = async () => {
      const { Body } = await client.send(new GetObjectCommand(object));
      return count(Body as AsyncIterable<Buffer>);
    };
    const served = () =>
      new Promise<number>((resolve, reject) => {
        get(asset.url, (response) => {
          if (response.statusCode === 200) count(response).then(resolve, reject);
          else reject(new Error(`a link returned ${response.statusCode}`));
        }).once('error', reject);
      });
    if ((await straight()) !== (await served())) throw new Error('the two sides returned different files');
    let [straightRate, servedRate] = [0, 0];
    for (let round = 0; round < ROUNDS; round += 1) {
      const share = { seconds: seconds / ROUNDS, atOnce: AT_ONCE };
      straightRate += (await measureRate({ ...share, transfer: straight })) / ROUNDS;
      servedRate += (await measureRate({ ...share, transfer: served })) / ROUNDS;
    }
    const ratio = servedRate / straightRate;
    const [straightMbps, servedMbps] = [inMegabytes(straightRate), inMegabytes(servedRate)];
    say(
      `SDK from the bucket   ${straightMbps.toFixed(0).padStart(5)} MB/s   ${FILE_MEGABYTES} MB file, ${AT_ONCE} concurrent downloads`,
    );
    say(`through signed links  ${servedMbps.toFixed(0).padStart(5)} MB/s`);
    say(`ratio ${ratio.toFixed(2)} (bar 0.70)`);
    return { straightMbps, servedMbps, ratio };
  } finally {
    client.destroy();
    await stack.stop();
    await folder.remove();
  }
};

async function count(body: AsyncIterable<Buffer>): Promise<number> {
  let bytes = 0;
  for await (const chunk of body) bytes += chunk.length;
  return bytes;
}
