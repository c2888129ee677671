import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { seedSandbox } from '../sandbox/seed-sandbox.ts';

const HELP = `Creates the accounts and keys of the conformance kit in the stack of scripts/test-containers.

Usage: node scripts/containers/seed-stack.ts --base-url URL --hook-port PORT --out FILE

The settings of the service are in the environment.`;

const { values } = parseArgs({
  options: {
    'base-url': { type: 'string' },
    'hook-port': { type: 'string' },
    out: { type: 'string' },
    help: { type: 'boolean' },
  },
});
if (values.help || values['base-url'] === undefined || values.out === undefined) {
  console.log(HELP);
  process.exitCode = values.help ? 0 : 2;
} else {
  const { fixture } = await seedSandbox(process.env, { hookPort: Number(values['hook-port']) });
  await writeFile(values.out, JSON.stringify({ baseUrl: values['base-url'], ...fixture }), { mode: 0o600 });
}
