import { parseArgs } from 'node:util';
import { readServices, startServices, stopServices } from '../scripts/services.ts';
import { bars, checkBar, renderBars } from './bars.ts';
import type { Bench } from './bench.ts';
import { benchConsole } from './console.ts';
import { benchDoor } from './door.ts';
import { benchDownload } from './download.ts';
import { benchGrowth } from './growth.ts';
import { benchLone } from './lone.ts';
import { benchModels } from './models.ts';
import { benchRead } from './read.ts';
import { benchRun } from './run.ts';
import { runBenches } from './run-benches.ts';
import { benchSubmit } from './submit.ts';
import { benchTrace } from './trace.ts';
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
  trace: { summary: 'submits that are traced against submits that are not', bench: benchTrace },
  run: { summary: 'generations taken and settled against bare pg-boss jobs that commit one row', bench: benchRun },
  read: { summary: 'one generation and a list page against the same statements behind a bare route', bench: benchRead },
  lone: { summary: 'one generation at a time on an idle service, from submit to settled', bench: benchLone },
  growth: { summary: 'every statement at 1,000,000 generations against 10,000 (takes minutes)', bench: benchGrowth },
  models: { summary: 'an image through the service against the same warm engine alone', bench: benchModels },
  upload: { summary: 'uploads through the service against the SDK directly to the bucket', bench: benchUpload },
  download: { summary: 'signed links against the SDK directly from the bucket', bench: benchDownload },
  webhooks: { summary: 'deliveries through the worker against a bare loop that signs and posts', bench: benchWebhooks },
  'webhooks-load': { summary: '10,000 events to 1,000 endpoints, some down, some slow', bench: benchWebhooksLoad },
  console: { summary: 'the slowest interaction of the console with 10,000 generations', bench: benchConsole },
  'upload-load': {
    summary: 'twenty concurrent uploads of 200 MB (4 GB): memory and latency of the API',
    bench: benchUploadLoad,
  },
};

const HELP = `usage: npm run bench -- <name> [--seconds N] [--rounds N] [--json]

Measures the service against a baseline in alternating rounds, and prints the median of the ratios. A missed bar is
marked; it does not change the exit status.

  all           every bench that has a bar, as one table
${Object.entries(benches)
  .map(([name, row]) => `  ${name.padEnd(13)} ${row.summary}`)
  .join('\n')}

  --seconds N   duration per side, over all rounds (default 9)
  --rounds N    how often each side is measured (default 3)
  --json        print the results as JSON
  --help        show this text`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '9' },
    rounds: { type: 'string', default: '3' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const name = positionals[0] ?? '';
const seconds = Number(values.seconds);
const rounds = Number(values.rounds);
if (values.help || (name !== 'all' && benches[name] === undefined) || !(seconds > 0) || !(rounds >= 1)) {
  console.log(HELP);
  process.exitCode = values.help ? 0 : 2;
} else {
  const running = readServices();
  const services = running ?? (await startServices());
  try {
    if (name === 'all') await measureAll();
    else await measureOne(name, benches[name]?.bench as Bench);
  } finally {
    if (running === null) await stopServices();
  }

  async function measureOne(of: string, bench: Bench): Promise<void> {
    const say = (line: string) => (values.json ? undefined : console.log(line));
    const figures = await bench({ services, seconds, rounds, say });
    const rows = bars.filter((row) => row.bench === of);
    if (values.json) console.log(JSON.stringify(figures));
    else if (rows.length > 0) console.log(`\n${renderBars(rows.map((row) => checkBar(row, figures)))}`);
  }
}

async function measureAll(): Promise<void> {
  const named = [...new Set(bars.map((row) => row.bench))].filter((each) => benches[each] !== undefined);
  const measured = await runBenches(named, { seconds, rounds, say: (line) => console.error(line) });
  const results = bars.map((row) => checkBar(row, measured.get(row.bench) ?? {}));
  if (values.json) console.log(JSON.stringify({ bars: results, figures: Object.fromEntries(measured) }));
  else console.log(renderBars(results));
  if (measured.size < named.length) process.exitCode = 1;
}
