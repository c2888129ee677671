import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startFileStack } from '../e2e/files/file-stack.ts';
import { makeFile, makeFolder, makeVideo } from '../e2e/files/make-file.ts';
import { sendUpload } from '../e2e/files/send-upload.ts';
import { makeAccount } from '../e2e/harness/account.ts';
import { callRaw } from '../e2e/harness/client.ts';
import { readMetric } from '../e2e/harness/read-metric.ts';
import { readRssMb } from '../e2e/http/read-rss.ts';
import type { BackingServices } from '../scripts/services.ts';
import type { Bench } from './bench.ts';

const sender = fileURLToPath(new URL('./files/send-uploads.ts', import.meta.url));
const PROBES_PER_SECOND = 40;
const BASELINE_SECONDS = 10;
const MEMORY_INTERVAL_MS = 100;

export interface UploadLoad {
  readonly accepted: number;
  readonly megabytes: number;
  readonly seconds: number;
  readonly rssBeforeMb: number;
  readonly rssGrowthMb: number;
  readonly eventLoopP99Ms: number;
  readonly quietP99Ms: number;
  readonly loadedP99Ms: number;
}

/** Concurrent, paced uploads with small requests at the same time: their effect on the API process. */
export async function measureUploadLoad(options: {
  readonly services: BackingServices;
  readonly uploads: number;
  readonly megabytes: number;
  readonly megabytesPerSecond: number;
}): Promise<UploadLoad> {
  const { uploads, megabytes } = options;
  const folder = await makeFolder();
  const stack = await startFileStack({ services: options.services, workers: 0 });
  try {
    const { key } = await makeAccount(stack);
    const api = stack.api();
    const [path, small] = await Promise.all([makeVideo(folder.dir, megabytes), makeFile(folder.dir, 'mp4')]);
    // Warm up, so that one-time allocations do not count as growth.
    await Promise.all(Array.from({ length: 8 }, () => sendUpload(api.url, { key, path: small })));
    await sendUpload(api.url, { key, path });
    const quiet = startProbe(api.url, key);
    await sleep(BASELINE_SECONDS * 1000);
    const quietP99Ms = p99(await quiet.stop());
    // Reading resets the histogram of the delays.
    await readMetric(api, 'nodejs_eventloop_lag_p99_seconds');
    const rssBefore = readRssMb(api.pid);
    let rssMost = rssBefore;
    const memory = setInterval(() => {
      rssMost = Math.max(rssMost, readRssMb(api.pid));
    }, MEMORY_INTERVAL_MS);
    const loaded = startProbe(api.url, key);
    const startedMs = performance.now();
    const order = { url: api.url, key, path, count: uploads, bytesPerSecond: options.megabytesPerSecond * 1_000_000 };
    const { stdout } = await promisify(execFile)(process.execPath, [sender, JSON.stringify(order)]);
    const seconds = (performance.now() - startedMs) / 1000;
    clearInterval(memory);
    const loadedP99Ms = p99(await loaded.stop());
    const eventLoopP99Ms = (await readMetric(api, 'nodejs_eventloop_lag_p99_seconds')) * 1000;
    const answers = JSON.parse(stdout) as Array<{ status: number }>;
    return {
      accepted: answers.filter((answer) => answer.status === 201).length,
      megabytes: uploads * megabytes,
      seconds,
      rssBeforeMb: rssBefore,
      rssGrowthMb: rssMost - rssBefore,
      eventLoopP99Ms,
      quietP99Ms,
      loadedP99Ms,
    };
  } finally {
    await stack.stop();
    await folder.remove();
  }
}

/** Paced requests; latency counts from the time a request was due. */
function startProbe(url: string, key: string): { stop(): Promise<number[]> } {
  const latencies: number[] = [];
  const open = new Set<Promise<void>>();
  const startedMs = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    const dueMs = startedMs + (sent * 1000) / PROBES_PER_SECOND;
    if (performance.now() < dueMs) return;
    sent += 1;
    const probe = callRaw(url, 'GET /v1/account', { key })
      .then(({ status }) => {
        if (status !== 200) throw new Error(`a probe returned ${status}`);
        latencies.push(performance.now() - dueMs);
      })
      .finally(() => open.delete(probe));
    open.add(probe);
  }, 1);
  return {
    async stop() {
      clearInterval(timer);
      await Promise.all(open);
      return latencies;
    },
  };
}

function p99(latencies: readonly number[]): number {
  const sorted = [...latencies].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
}

export function describeLoad(load: UploadLoad): string[] {
  const rate = load.megabytes / load.seconds;
  return [
    `${load.accepted} uploads accepted, ${load.megabytes} MB in ${load.seconds.toFixed(1)} s (${rate.toFixed(0)} MB/s)`,
    `memory of the API grew by ${load.rssGrowthMb.toFixed(0)} MB (target 100), from ${load.rssBeforeMb.toFixed(0)} MB after one such upload`,
    `event-loop delay p99 ${load.eventLoopP99Ms.toFixed(1)} ms (target 50)`,
    `other requests p99 ${load.quietP99Ms.toFixed(1)} ms before, ${load.loadedP99Ms.toFixed(1)} ms during the uploads (target: at most double)`,
  ];
}

/** Twenty concurrent files of 200 MB at 10 MB/s each: 4 GB. */
export const benchUploadLoad: Bench = async ({ services, say }) => {
  const load = await measureUploadLoad({ services, uploads: 20, megabytes: 200, megabytesPerSecond: 10 });
  for (const line of describeLoad(load)) say(line);
  return { ...load };
};
