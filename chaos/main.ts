/** Injects random faults into the whole service, or restarts it under load, then checks the clients' log and the invariants. */
import { parseArgs } from 'node:util';
import { type ChaosReport, runChaos } from './run-chaos.ts';
import { runDrill } from './run-drill.ts';

const DEFAULT_SECONDS = 60;
const MAX_SECONDS = 8 * 3_600;

const DEFAULT_RATE = 200;
const MAX_RATE = 10_000;
const DEFAULT_ROUNDS = 2;
const MAX_ROUNDS = 100;

const HELP = `Usage: npm run chaos -- [--seconds N] [--seed N] [--json]
       npm run chaos -- rolling [--rate N] [--rounds N] [--json]
       npm run chaos -- upgrade [--from REF] [--rate N] [--rounds N] [--json]

Clients submit, repeat and cancel continuously while APIs and workers are killed and paused, connections to
PostgreSQL are cut and PostgreSQL itself crashes. Then the faults stop, all generations finish, and every acknowledged
operation must be in the database and every invariant must hold.

  --seconds N   duration of the faults (default ${DEFAULT_SECONDS})
  --seed N      seed of the random faults (default: random; the run prints it)
  --json        print the report as JSON
  --help        show this text

rolling replaces every API and worker, one after the other, while clients send requests through a balancer. No request may
fail. upgrade does the same from another version to this one: it migrates the database under the load of the old version.

  --rate N      requests per second (default ${DEFAULT_RATE})
  --rounds N    how often every process is replaced (default ${DEFAULT_ROUNDS})
  --from REF    the version to upgrade from, a tag or commit (default: the last tag before this commit)

Starts its own PostgreSQL, and uses the Redis and S3 of \`npm run services\` or starts them.
Exit status: 0 passed, 1 failed, 2 wrong usage, 3 void (too few acknowledged operations).
`;

const EXIT_CODES = { passed: 0, failed: 1, void: 3 } as const;

function readWholeNumber(name: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) throw new RangeError(`--${name} must be an integer`);
  return value;
}

function print(report: ChaosReport): void {
  const list = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ');
  console.log(`seed          ${report.seed}`);
  console.log(`time          ${report.seconds} s of faults, ${report.healSeconds} s to finish the rest`);
  console.log(`faults        ${report.faultCount}: ${list(report.faults)}`);
  console.log(`answers       ${list(report.answers)}`);
  console.log(
    `acknowledged  ${report.acknowledged} operations, ${report.generations} generations (at least ${report.minAcknowledged} needed)`,
  );
  console.log(`final states  ${list(report.statuses)}; at most ${report.mostAttempts} attempts`);
  console.log(`violations    ${report.violations.length}`);
  for (const violation of report.violations.slice(0, 50)) console.log(`  ${violation}`);
  console.log(`verdict       ${report.verdict}`);
}

interface Options {
  readonly command: 'storm' | 'rolling' | 'upgrade';
  readonly seconds: number;
  readonly seed: number;
  readonly rate: number;
  readonly rounds: number;
  readonly from: string;
  readonly json: boolean;
}

/** Null if the help was asked for. */
function readOptions(): Options | null {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      seconds: { type: 'string' },
      seed: { type: 'string' },
      rate: { type: 'string' },
      rounds: { type: 'string' },
      from: { type: 'string', default: '' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return null;
  const [command = 'storm', ...rest] = positionals;
  if ((command !== 'storm' && command !== 'rolling' && command !== 'upgrade') || rest.length > 0) {
    throw new RangeError(`there is no command ${positionals.join(' ')}`);
  }
  return {
    command,
    seconds: readWithin('seconds', values.seconds, { fallback: DEFAULT_SECONDS, maximum: MAX_SECONDS }),
    seed: readWholeNumber('seed', values.seed, Math.floor(Math.random() * 2 ** 31)),
    rate: readWithin('rate', values.rate, { fallback: DEFAULT_RATE, maximum: MAX_RATE }),
    rounds: readWithin('rounds', values.rounds, { fallback: DEFAULT_ROUNDS, maximum: MAX_ROUNDS }),
    from: values.from,
    json: values.json,
  };
}

function readWithin(name: string, text: string | undefined, range: { fallback: number; maximum: number }): number {
  const value = readWholeNumber(name, text, range.fallback);
  if (value < 1 || value > range.maximum) throw new RangeError(`--${name} must be 1 to ${range.maximum}`);
  return value;
}

async function storm(options: Options): Promise<number> {
  if (!options.json) console.log(`seed ${options.seed}, ${options.seconds} s`);
  const report = await runChaos({
    seconds: options.seconds,
    seed: options.seed,
    onNote: options.json ? () => {} : (line) => console.log(line),
  });
  if (options.json) console.log(JSON.stringify(report));
  else print(report);
  return EXIT_CODES[report.verdict];
}

async function drill(options: Options): Promise<number> {
  const { violations, ...figures } = await runDrill({
    requestsPerSecond: options.rate,
    rounds: options.rounds,
    from: options.command === 'upgrade' ? options.from : null,
    onNote: options.json ? () => {} : (line) => console.log(line),
  });
  if (options.json) console.log(JSON.stringify({ ...figures, violations }));
  else {
    for (const [name, value] of Object.entries(figures)) console.log(`${name.padEnd(18)}${value}`);
    console.log(`violations        ${violations.length}`);
    for (const violation of violations.slice(0, 50)) console.log(`  ${violation}`);
  }
  return violations.length === 0 ? 0 : 1;
}

async function main(): Promise<number> {
  try {
    const options = readOptions();
    if (options === null) {
      process.stdout.write(HELP);
      return 0;
    }
    return await (options.command === 'storm' ? storm(options) : drill(options));
  } catch (error) {
    const isUsage =
      error instanceof RangeError || String((error as { code?: string }).code).startsWith('ERR_PARSE_ARGS');
    if (!isUsage) throw error;
    process.stderr.write(`${(error as Error).message}\n\n${HELP}`);
    return 2;
  }
}

process.exitCode = await main();
