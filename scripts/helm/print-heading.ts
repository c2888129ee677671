import { parseArgs } from 'node:util';
import { makeHeading } from './rendered-objects.ts';

const HELP = `Prints the first line of the rendered objects of an example.

Usage: node scripts/helm/print-heading.ts EXAMPLE
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { help: { type: 'boolean', default: false } },
});
const [example] = positionals;
if (values.help) process.stdout.write(HELP);
else if (example === undefined) {
  process.stderr.write(HELP);
  process.exitCode = 2;
} else console.log(await makeHeading(example));
