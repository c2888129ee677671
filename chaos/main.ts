/** A random fault run over the whole service, with the clients' log and the invariants as judges. */
import { parseArgs } from 'node:util';
import { type ChaosReport, runChaos } from './run-chaos.ts';

const DEFAULT_SECONDS = 60;
const MAX_SECONDS = 8 * 3_600;

const HELP = `Usage: npm run chaos -- [--seconds N] [--seed N] [--json]

Clients submit, repeat and cancel without pause while APIs and workers are killed and stopped, connections to
PostgreSQL are cut and PostgreSQL itself crashes. At the end everything heals, what is left runs to its end, and then
every acknowledged operation must be in the database and every invariant must hold.

  --seconds N   how long faults are injected (default ${DEFAULT_SECONDS})
  --seed N      which faults, in which order (default: random; the run prints it)
  --json        print the report as JSON
  --help        this text

It starts a PostgreSQL of its own, and uses the Redis and S3 of \`npm run services\` or starts them too.
Exit status: 0 passed, 1 failed, 2 wrong usage, 3 void (too little was acknowledged to show anything).
`;

const EXIT_CODES = { passed: 0, failed: 1, void: 3 } as const;

function readWholeNumber(name: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) throw new RangeError(`--${name} must be a whole number`);
  return value;
}

function print(report: ChaosReport): void {
  const list = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ');
  console.log(`seed          ${report.seed}`);
  console.log(`time          ${report.seconds} s of faults, ${report.healSeconds} s to settle what was left`);
  console.log(`faults        ${report.faultCount}: ${list(report.faults)}`);
  console.log(`answers       ${list(report.answers)}`);
  console.log(
    `acknowledged  ${report.acknowledged} operations, ${report.generations} generations (at least ${report.minAcknowledged} needed)`,
  );
  console.log(`ended as      ${list(report.statuses)}; most attempts of one ${report.mostAttempts}`);
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
