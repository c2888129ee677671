import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { listChangedFiles } from './check/list-changed-files.ts';
import { runStep, type StepResult } from './check/run-step.ts';
import { steps } from './check/steps.ts';

const HELP = `Runs all static checks. Prints a line per step, and the output of failed steps.

Usage: npm run check [-- --changed] [-- --json] [-- <step> ...]

  --changed   check only what was not pushed yet; steps marked * read the whole repository and do not run
  --json      print one JSON object instead of lines
  --help      show this text

Steps:
${steps.map(({ name, says, changed }) => `  ${name.padEnd(10)} ${says}${changed === undefined ? ' *' : ''}`).join('\n')}
`;

/** More concurrent steps only slow each other down: the type check alone uses a core. */
const AT_ONCE = 3;
const ROOT = resolve(import.meta.dirname, '..');

function printStep({ name, ok, seconds, skipped, output }: StepResult): void {
  const verdict = skipped ? 'skipped' : ok ? 'ok' : 'FAILED';
  console.log(`${verdict.padEnd(8)} ${name.padEnd(10)} ${seconds.toFixed(1).padStart(5)} s`);
  if (skipped || !ok) console.log(output.trimEnd().replace(/^/gm, '    '));
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    changed: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const unknown = positionals.filter((name) => !steps.some((step) => step.name === name));

if (values.help) {
  process.stdout.write(HELP);
} else if (unknown.length > 0) {
  console.error(`No such step: ${unknown.join(', ')}\n\n${HELP}`);
  process.exitCode = 2;
} else {
  const startedAt = performance.now();
  const changed = values.changed ? listChangedFiles(ROOT) : undefined;
  const waiting = steps
    .filter(({ name }) => positionals.length === 0 || positionals.includes(name))
    .filter((step) => changed === undefined || step.changed !== undefined);
  const results: StepResult[] = [];
  const work = async (): Promise<void> => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      const result = await runStep(step, { root: ROOT, changed });
      results.push(result);
      if (!values.json) printStep(result);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const seconds = (performance.now() - startedAt) / 1000;
  const failed = results.filter(({ ok }) => !ok).map(({ name }) => name);
  if (values.json) {
    console.log(JSON.stringify({ ok: failed.length === 0, seconds, steps: results }, null, 2));
  } else {
    console.log(
      failed.length === 0
        ? `All ${results.length} steps passed in ${seconds.toFixed(1)} s.`
        : `Failed: ${failed.join(', ')}. ${seconds.toFixed(1)} s in total.`,
    );
  }
  process.exitCode = failed.length === 0 ? 0 : 1;
}
