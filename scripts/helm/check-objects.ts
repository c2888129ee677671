import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { findObjectProblems } from './object-rules.ts';
import { readObjects } from './rendered-objects.ts';

const HELP = `Checks the objects that \`helm template\` printed: confinement, secrets, probes, time to stop, networks.

Usage: node scripts/helm/check-objects.ts FILE...
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { help: { type: 'boolean', default: false } },
});
if (values.help) process.stdout.write(HELP);
else if (positionals.length === 0) {
  process.stderr.write(HELP);
  process.exitCode = 2;
}
for (const file of values.help ? [] : positionals) {
  const objects = readObjects(await readFile(file, 'utf8'));
  const problems = findObjectProblems(objects);
  if (objects.length === 0) problems.push('no objects');
  for (const problem of problems) console.error(`${file}: ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
  else console.log(`${file}: ${objects.length} objects`);
}
