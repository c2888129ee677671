import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { startServices, stopServices } from '../services.ts';
import { printSummary, summarize } from './print-summary.ts';
import { ROOT } from './root.ts';
import { runStages, type StepResult } from './run-stages.ts';
import type { Stage } from './stage.ts';

export interface Tier {
  readonly name: 'ci' | 'soak';
  readonly usage: string;
  readonly about: string;
  readonly stages: readonly Stage[];
  readonly steady: 'strict' | 'all';
  /** Steps that ran before, to be listed first. */
  readonly before?: readonly StepResult[];
  /** Gets the results of whole stages. */
  readonly onEnd?: (results: readonly StepResult[]) => Promise<void>;
}

const SHARD = /^([1-9]\d?)\/([1-9]\d?)$/;

/** The command line of a tier: chooses stages, runs them on services of its own, prints the summary. Returns the exit status. */
export async function runTier(tier: Tier): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      shard: { type: 'string' },
      only: { type: 'string', multiple: true, default: [] },
      'keep-going': { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const help = describeTier(tier);
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  const stages = tier.stages.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  const wrong = findWrongArguments(tier, { positionals, shard: values.shard, stages });
  if (wrong !== null) {
    process.stderr.write(`${wrong}\n\n${help}`);
    return 2;
  }

  const ending = new AbortController();
  const signals = { SIGINT: 130, SIGTERM: 143 } as const;
  for (const [signal, status] of Object.entries(signals)) process.once(signal, () => ending.abort(status));
  // With --json, standard output carries the result alone.
  const print = (line: string) => (values.json ? process.stderr : process.stdout).write(`${line}\n`);
  const startedAt = performance.now();
  const reports = join(ROOT, '.cache/reports', tier.name);
  const work = await mkdtemp(join(tmpdir(), `atelier-${tier.name}.`));
  // The PostgreSQL user needs access to the data in this folder.
  await chmod(work, 0o711);
  const servicesDir = join(work, 'services');
  try {
    await startServices({ dir: servicesDir });
    const seed = process.env.TEST_SEED ?? String(Date.now() % 2 ** 31);
    print(`Samples are drawn with TEST_SEED=${seed}`);
    const env = {
      ...process.env,
      CI: '1',
      PATH: `${join(ROOT, 'node_modules/.bin')}${delimiter}${process.env.PATH ?? ''}`,
      // A separate folder, so that other weights on this machine make no difference.
      WEIGHTS_DIR: join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'atelier/ci-weights'),
      ATELIER_SERVICES_FILE: join(servicesDir, 'services.json'),
      TEST_SEED: seed,
    };
    const ran = await runStages(stages, {
      root: ROOT,
      reports,
      env,
      shard: values.shard ?? null,
      only: values.only,
      steady: tier.steady,
      keepGoing: values['keep-going'],
      show: values.json ? 'stderr' : 'stdout',
      signal: ending.signal,
      print,
    });
    const results = [...(tier.before ?? []), ...ran];
    const summary = summarize(results, beforeSeconds(tier) + (performance.now() - startedAt) / 1000);
    await writeFile(join(reports, 'summary.json'), JSON.stringify(summary, null, 2));
    // A part of a stage proves nothing about the stage.
    const isWhole = values.shard === undefined && values.only.length === 0 && !ending.signal.aborted;
    if (isWhole) await tier.onEnd?.(ran);
    print(printSummary(summary, relative(ROOT, reports)));
    if (values.json) process.stdout.write(`${JSON.stringify(summary, null, 2)}\n`);
    if (ending.signal.aborted) return ending.signal.reason as number;
    return summary.failed === 0 ? 0 : 1;
  } catch (error) {
    // The runner itself failed: the services did not start, for example.
    print(`${error instanceof Error ? error.stack : error}\n\n0 passed, 1 failed`);
    return 1;
  } finally {
    await stopServices({ dir: servicesDir });
    await rm(work, { recursive: true, force: true });
  }
}

const beforeSeconds = ({ before = [] }: Tier): number => before.reduce((sum, { seconds }) => sum + seconds, 0);

function findWrongArguments(
  { stages: all }: Tier,
  given: { positionals: readonly string[]; shard: string | undefined; stages: readonly Stage[] },
): string | null {
  const unknown = given.positionals.filter((name) => !all.some((stage) => stage.name === name));
  if (unknown.length > 0) return `No such stage: ${unknown.join(', ')}`;
  if (given.shard === undefined) return null;
  const [, part, parts] = SHARD.exec(given.shard) ?? [];
  if (part === undefined || Number(part) > Number(parts)) return `--shard must be like 1/3, not ${given.shard}`;
  const whole = given.stages.filter(({ sharded }) => sharded !== true).map(({ name }) => name);
  return whole.length === 0 ? null : `--shard: these stages cannot be divided: ${whole.join(', ')}`;
}

function describeTier({ usage, about, stages }: Tier): string {
  return `${about}

Usage: ${usage} [STAGE ...] [--shard n/m] [--only TEXT] [--keep-going] [--json]

  --shard n/m    run the n-th of m parts of the test files (${stages
    .filter(({ sharded }) => sharded)
    .map(({ name }) => name)
    .join(', ')})
  --only TEXT    run only test files whose path contains TEXT; may be repeated
  --keep-going   go on with the next stage after a failed one
  --json         print the result as JSON, and everything else to standard error
  --help         show this text

Stages, in this order, all of them by default:
${stages.map(({ name, summary }) => `  ${name.padEnd(10)} ${summary}`).join('\n')}
`;
}
