/** Injects random faults into the whole service, then checks the clients' log and the invariants. */
import { parseArgs } from 'node:util';
import { type ChaosReport, runChaos } from './run-chaos.ts';

const DEFAULT_SECONDS = 60;
const MAX_SECONDS = 8 * 3_600;

const HELP = `Usage: npm run chaos -- [--seconds N] [--seed N] [--json]

Clients submit, repeat and cancel continuously while APIs and workers are killed and paused, connections to
PostgreSQL are cut and PostgreSQL itself crashes. Then the faults stop, all generations finish, and every acknowledged
operation must be in the database and every invariant must hold.

  --seconds N   duration of the faults (default ${DEFAULT_SECONDS})
  --seed N      seed of the random faults (default: random; the run prints it)
  --json        print the report as JSON
  --help        show this text

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

async function main(): Promise<number> {
  let options: { seconds: number; seed: number; json: boolean };
  try {
    const { values } = parseArgs({
      options: {
        seconds: { type: 'string' },
        seed: { type: 'string' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    if (values.help) {
      process.stdout.write(HELP);
      return 0;
    }
    options = {
      seconds: readWholeNumber('seconds', values.seconds, DEFAULT_SECONDS),
      seed: readWholeNumber('seed', values.seed, Math.floor(Math.random() * 2 ** 31)),
      json: values.json ?? false,
    };
    if (options.seconds < 1 || options.seconds > MAX_SECONDS) {
      throw new RangeError(`--seconds must be 1 to ${MAX_SECONDS}`);
    }
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${HELP}`);
    return 2;
  }
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

process.exitCode = await main();
