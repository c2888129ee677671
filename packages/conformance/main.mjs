#!/usr/bin/env node
// The command line of the kit: runs all parts, or the given ones, and reports how many tests passed.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { parseArgs } from 'node:util';

const HERE = import.meta.dirname;
const PARTS = readdirSync(HERE)
  .filter((name) => name.endsWith('.test.mjs'))
  .map((name) => name.replace('.test.mjs', ''));

const HELP = `Tests a server against the Generation Service API.

Usage: node packages/conformance/main.mjs --fixture FILE [--base-url URL] [--spec-only] [--no-skips] [--json] [PART ...]

  --fixture FILE   JSON file with the keys, models and webhook endpoints to use (README.md, "Fixture")
  --base-url URL   address of the server, when it is not the fixture's baseUrl
  --spec-only      check what the specification says, and no decision of the project beyond it
  --no-skips       a test that the fixture or the catalog gives nothing for fails instead of being skipped
  --json           print one JSON object instead of a line per test
  --help           show this text

Parts: ${PARTS.join(', ')}

Exit code: 0 when no test failed, 1 when one failed, 2 when the arguments are wrong.
`;

function refuse(message) {
  console.error(`${message}\n\n${HELP}`);
  process.exit(2);
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        fixture: { type: 'string', default: process.env.CONFORMANCE_FIXTURE },
        'base-url': { type: 'string' },
        'spec-only': { type: 'boolean', default: false },
        'no-skips': { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    return refuse(error.message);
  }
}

function checkArguments({ values, positionals }) {
  if (values.fixture === undefined) refuse('--fixture is required.');
  if (!existsSync(values.fixture)) refuse(`No such file: ${values.fixture}`);
  try {
    JSON.parse(readFileSync(values.fixture, 'utf8'));
  } catch (error) {
    refuse(`${values.fixture} is not JSON: ${error.message}`);
  }
  if (values['base-url'] !== undefined && !URL.canParse(values['base-url'])) refuse('--base-url must be a URL.');
  const unknown = positionals.filter((part) => !PARTS.includes(part));
  if (unknown.length > 0) refuse(`Unknown part: ${unknown.join(', ')}`);
}

const { values, positionals } = readArguments();
if (values.help) {
  process.stdout.write(HELP);
} else {
  checkArguments({ values, positionals });
  process.env.CONFORMANCE_FIXTURE = resolve(values.fixture);
  if (values['base-url'] !== undefined) process.env.CONFORMANCE_BASE_URL = values['base-url'].replace(/\/$/, '');
  if (values['spec-only']) process.env.CONFORMANCE_SPEC_ONLY = 'true';
  if (values['no-skips']) process.env.CONFORMANCE_NO_SKIPS = 'true';
  const files = positionals.length === 0 ? ['run.mjs'] : positionals.map((part) => `${part}.test.mjs`);
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const failures = [];
  const stream = run({ files: files.map((file) => join(HERE, file)), concurrency: 1 });
  stream.on('test:pass', ({ skip, details }) => {
    if (details.type !== 'suite') counts[skip ? 'skipped' : 'passed'] += 1;
  });
  stream.on('test:fail', ({ name, details }) => {
    if (details.type === 'suite') return;
    counts.failed += 1;
    failures.push({ name, message: (details.error?.cause ?? details.error)?.message ?? 'unknown' });
  });
  stream.on('end', () => {
    if (values.json) console.log(JSON.stringify({ ...counts, failures }, null, 2));
    else console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
    // A run without tests is a failure.
    process.exitCode = counts.failed > 0 || counts.passed === 0 ? 1 : 0;
  });
  if (values.json) stream.resume();
  else stream.compose(spec).pipe(process.stdout);
}
