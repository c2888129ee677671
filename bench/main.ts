import { parseArgs } from 'node:util';
import { readServices, startServices, stopServices } from '../scripts/services.ts';
import type { Bench } from './bench.ts';
import { benchDoor } from './door.ts';
import { benchDownload } from './download.ts';
import { benchModels } from './models.ts';
import { benchRun } from './run.ts';
import { benchSubmit } from './submit.ts';
import { benchUpload } from './upload.ts';
import { benchUploadLoad } from './upload-load.ts';
import { benchWebhooks } from './webhooks.ts';
import { benchWebhooksLoad } from './webhooks-load.ts';

const benches: Readonly<Record<string, { summary: string; bench: Bench }>> = {
  door: {
    summary: 'an authenticated, rate-limited, validated route against a bare one that returns the same bytes',
    bench: benchDoor,
  },
  submit: { summary: 'submits over HTTP against the same SQL alone', bench: benchSubmit },
  run: { summary: 'generations taken and settled against bare pg-boss jobs that commit one row', bench: benchRun },
  models: { summary: 'an image through the service against the same warm engine alone', bench: benchModels },
  upload: { summary: 'uploads through the service against the SDK directly to the bucket', bench: benchUpload },
  download: { summary: 'signed links against the SDK directly from the bucket', bench: benchDownload },
  webhooks: { summary: 'deliveries through the worker against a bare loop that signs and posts', bench: benchWebhooks },
  'webhooks-load': { summary: '10,000 events to 1,000 endpoints, some down, some slow', bench: benchWebhooksLoad },
  'upload-load': {
    summary: 'twenty concurrent uploads of 200 MB (4 GB): memory and latency of the API',
    bench: benchUploadLoad,
  },
};

const HELP = `usage: npm run bench -- <name> [--seconds N] [--json]

Measures the service against a baseline in the same run, and prints the ratio.

${Object.entries(benches)
  .map(([name, row]) => `  ${name.padEnd(12)} ${row.summary}`)
  .join('\n')}

  --seconds N   duration per side (default 8)
  --json        print the results as JSON
  --help        show this text`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '8' }, json: { type: 'boolean' }, help: { type: 'boolean' } },
});
const row = positionals[0] === undefined ? undefined : benches[positionals[0]];
if (values.help || row === undefined) {
  console.log(HELP);
  process.exitCode = values.help ? 0 : 2;
} else {
  const running = readServices();
  const services = running ?? (await startServices());
  try {
    const say = (line: string) => (values.json ? undefined : console.log(line));
    const figures = await row.bench({ services, seconds: Number(values.seconds), say });
    if (values.json) console.log(JSON.stringify(figures));
  } finally {
    if (running === null) await stopServices();
  }
}
