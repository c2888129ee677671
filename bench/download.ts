import { randomBytes } from 'node:crypto';
import { get, type IncomingMessage } from 'node:http';
import type { Asset } from '@atelier/contract';
import { startEdge } from '@atelier/server/cdn/testing/start-edge.ts';
import { hasNginx } from '@atelier/server/cdn/testing/start-nginx.ts';
import { createKeyRing } from '@atelier/server/platform/crypto.ts';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { startFileStack } from '../e2e/files/file-stack.ts';
import { makeFolder, makeVideo } from '../e2e/files/make-file.ts';
import { sendUpload } from '../e2e/files/send-upload.ts';
import { makeAccount } from '../e2e/harness/account.ts';
import type { Bench } from './bench.ts';
import { inMegabytes, measureRate } from './files/measure-rate.ts';
import { openBucket } from './files/open-bucket.ts';
import { median } from './rounds.ts';

const FILE_MEGABYTES = 50;
const AT_ONCE = 4;

/**
 * Megabytes per second of signed links against the AWS SDK reading the same object from the bucket: links that the cdn
 * role serves, that redirect to the bucket, and that an nginx edge serves from its cache.
 */
export const benchDownload: Bench = async ({ services, seconds, rounds, say }) => {
  const folder = await makeFolder();
  const edgeSecret = randomBytes(24).toString('base64url');
  const stack = await startFileStack({ services, workers: 0, cdns: 1, env: { EDGE_SECRET: edgeSecret } });
  const client = openBucket(services);
  const keys = createKeyRing([Buffer.from(stack.env.MASTER_KEY as string, 'base64')]);
  const cdnPort = Number(new URL(stack.env.CDN_URL as string).port);
  const linkKeys = new Map([[keys.kid, keys.key('link') as Buffer]]);
  const edge = hasNginx ? await startEdge({ cdnPort, linkKeys, edgeSecret }) : null;
  try {
    const redirecting = await stack.start('cdn', { LINK_MODE: 'redirect' });
    const { key, accountId } = await makeAccount(stack);
    const path = await makeVideo(folder.dir, FILE_MEGABYTES);
    const asset: Asset = (await sendUpload(stack.api().url, { key, path })).body;
    const object = { Bucket: stack.bucket.name, Key: `${stack.keyPrefix}a/${accountId}/${asset.id}/file` };
    const redirectPort = Number(new URL(redirecting.url).port);
    const ways: Record<string, () => Promise<number>> = {
      straight: async () => count((await client.send(new GetObjectCommand(object))).Body as AsyncIterable<Buffer>),
      proxy: async () => count(await ask(asset.url)),
      redirect: async () => {
        const { headers } = drained(await ask(asset.url, { port: redirectPort, status: 302 }));
        return count(await ask(headers.location as string));
      },
      ...(edge === null ? {} : { edge: async () => count(await ask(asset.url, { port: edge.port })) }),
    };
    const sizes = new Set<number>();
    // Also fills the cache of the edge.
    for (const way of Object.values(ways)) sizes.add(await way());
    if (sizes.size > 1) throw new Error('the ways returned different files');

    const rates = Object.keys(ways).map((name) => ({ name, byRound: [] as number[] }));
    for (let round = 0; round < rounds; round += 1) {
      // Every other round in the opposite order, so that none always follows the same one.
      for (const { name, byRound } of round % 2 === 0 ? rates : [...rates].reverse()) {
        const transfer = ways[name] as () => Promise<number>;
        byRound.push(await measureRate({ seconds: seconds / rounds, atOnce: AT_ONCE, transfer }));
      }
    }
    const roundsOf = (name: string) => rates.find((each) => each.name === name)?.byRound ?? [];
    const mbpsOf = (name: string) => inMegabytes(median(roundsOf(name)));
    const ratioOf = (name: string) =>
      median(roundsOf(name).map((rate, round) => rate / (roundsOf('straight')[round] as number)));
    say(
      `SDK from the bucket    ${mbpsOf('straight').toFixed(0).padStart(5)} MB/s   ${FILE_MEGABYTES} MB file, ${AT_ONCE} concurrent downloads`,
    );
    const tell = (label: string, name: string) =>
      say(`${label.padEnd(22)} ${mbpsOf(name).toFixed(0).padStart(5)} MB/s   ratio ${ratioOf(name).toFixed(2)}`);
    tell('links, cdn as proxy', 'proxy');
    tell('links, redirect', 'redirect');
    if (edge === null) say('links, nginx edge      not measured: nginx is not installed');
    else tell('links, nginx edge', 'edge');
    return {
      straightMbps: mbpsOf('straight'),
      servedMbps: mbpsOf('proxy'),
      ratio: ratioOf('proxy'),
      redirectMbps: mbpsOf('redirect'),
      redirectRatio: ratioOf('redirect'),
      ...(edge === null ? {} : { edgeMbps: mbpsOf('edge'), edgeRatio: ratioOf('edge') }),
    };
  } finally {
    client.destroy();
    await edge?.close();
    await stack.stop();
    await folder.remove();
  }
};

/** Requests a link, also at a port other than the one it is signed for. */
function ask(link: string, options: { port?: number; status?: number } = {}): Promise<IncomingMessage> {
  const { hostname, host, port, pathname, search } = new URL(link);
  const target = { hostname, port: options.port ?? port, path: pathname + search, headers: { host } };
  return new Promise((resolve, reject) => {
    get(target, (response) => {
      if (response.statusCode === (options.status ?? 200)) resolve(response);
      else reject(new Error(`a link returned ${response.statusCode}`));
    }).once('error', reject);
  });
}

function drained(response: IncomingMessage): IncomingMessage {
  response.resume();
  return response;
}

async function count(body: AsyncIterable<Buffer>): Promise<number> {
  let bytes = 0;
  for await (const chunk of body) bytes += chunk.length;
  return bytes;
}
