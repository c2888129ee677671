/** Seeded bugs: each is applied to a copy of the sources, and its tests must fail. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { stateFile } from '../scripts/services/state.ts';
import { readServices, startServices, stopServices } from '../scripts/services.ts';
import { agentMutants } from './mutants/agent-mutants.ts';
import { consoleMutants } from './mutants/console-mutants.ts';
import { deskMutants } from './mutants/desk-mutants.ts';
import { endMutants } from './mutants/end-mutants.ts';
import { judgeMutants, type Verdict } from './mutants/judge-mutants.ts';
import { ledgerMutants } from './mutants/ledger-mutants.ts';
import { limitMutants } from './mutants/limit-mutants.ts';
import { moveMutants } from './mutants/move-mutants.ts';
import { applyEdit, type Mutant } from './mutants/mutant.ts';
import { openaiMutants } from './mutants/openai-mutants.ts';
import { queueMutants } from './mutants/queue-mutants.ts';
import { requestMutants } from './mutants/request-mutants.ts';
import { settlementMutants } from './mutants/settlement-mutants.ts';
import { submitMutants } from './mutants/submit-mutants.ts';

const HELP = `Usage: npm run mutants -- [--only TEXT]... [--list] [--json]

Applies one seeded bug at a time to a copy of the sources and runs the tests that must catch it.
Exit status 1 if one survives, if its text is no longer in the sources, or if the tests fail without it.

  --only TEXT   only mutants whose name contains TEXT; can be repeated
  --list        list the mutants with their tests, mark stale ones, and run nothing
  --json        print the results as JSON
`;

const all: readonly Mutant[] = [
  ...submitMutants,
  ...endMutants,
  ...limitMutants,
  ...settlementMutants,
  ...ledgerMutants,
  ...requestMutants,
  ...queueMutants,
  ...consoleMutants,
  ...deskMutants,
  ...moveMutants,
  ...agentMutants,
  ...openaiMutants,
];

/** Uses the running services, or starts its own during the run. */
async function withServices<T>(work: (services: { postgresUrl: string; stateFile: string }) => Promise<T>): Promise<T> {
  const running = readServices();
  if (running) return work({ postgresUrl: running.postgresUrl, stateFile: stateFile(running.dir) });
  const dir = join(tmpdir(), `atelier-mutants-${randomUUID()}`);
  const started = await startServices({ dir });
  try {
    return await work({ postgresUrl: started.postgresUrl, stateFile: stateFile(started.dir) });
  } finally {
    await stopServices({ dir });
  }
}

/** Lists all mutants, and marks those whose text is no longer in the sources. */
function list(mutants: readonly Mutant[]): number {
  let stale = 0;
  for (const { name, edits, tests } of mutants) {
    console.log(`${name}\n    ${tests.join('\n    ')}`);
    try {
      const texts = new Map<string, string>();
      for (const edit of edits) {
        const text = texts.get(edit.file) ?? readFileSync(new URL(`../${edit.file}`, import.meta.url), 'utf8');
        texts.set(edit.file, applyEdit(text, edit));
      }
    } catch (error) {
      stale += 1;
      console.log(`    STALE: ${(error as Error).message}`);
    }
  }
  console.log(`\n${mutants.length} mutants, ${stale} stale`);
  return stale === 0 ? 0 : 1;
}

function describe(verdict: Verdict): string {
  const line = `${verdict.kind.padEnd(8)} ${`${verdict.seconds.toFixed(1)} s`.padStart(7)}  ${verdict.name}`;
  return verdict.detail === '' ? line : `${line}\n${' '.repeat(18)}${verdict.detail}`;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', multiple: true },
      list: { type: 'boolean' },
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const wanted = values.only;
  const mutants = wanted === undefined ? all : all.filter(({ name }) => wanted.some((text) => name.includes(text)));
  if (new Set(all.map(({ name }) => name)).size !== all.length) throw new Error('two mutants have the same name');
  if (mutants.length === 0) throw new Error('no mutant matches --only');
  if (values.list) {
    return list(mutants);
  }
  const startedMs = performance.now();
  const verdicts = await withServices((services) =>
    judgeMutants({
      mutants,
      services,
      onVerdict: (verdict) => {
        if (!values.json) console.log(describe(verdict));
      },
    }),
  );
  const count = (kind: Verdict['kind']) => verdicts.filter((verdict) => verdict.kind === kind).length;
  const bad = verdicts.length - count('caught');
  const seconds = Math.round((performance.now() - startedMs) / 1_000);
  if (values.json)
    console.log(JSON.stringify({ caught: count('caught'), survived: count('survived'), seconds, verdicts }));
  else {
    const rest = bad - count('survived');
    console.log(
      `\n${count('caught')} caught, ${count('survived')} survived${rest > 0 ? `, ${rest} could not run` : ''} in ${seconds} s`,
    );
  }
  return bad === 0 ? 0 : 1;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`mutants: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
