import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, type MockInstance, test, vi } from 'vitest';
import { openTestDatabase } from '../../../../../test/database.ts';
import { commands, renderHelp } from '../commands.ts';
import { readConfig } from '../config/config.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const { url, owner } = await openTestDatabase();
const config = readConfig({
  DATABASE_URL: url,
  REDIS_URL: 'redis://127.0.0.1:1',
  MASTER_KEY: randomBytes(32).toString('base64'),
  CATALOG_DIR: fileURLToPath(new URL('../../../../../catalog', import.meta.url)),
});

let stderr: MockInstance<typeof console.error>;
let stdout: MockInstance<typeof console.log>;
beforeEach(() => {
  stderr = vi.spyOn(console, 'error').mockImplementation(() => {});
  stdout = vi.spyOn(console, 'log').mockImplementation(() => {});
});
afterEach(() => vi.restoreAllMocks());

async function run(line: string): Promise<{ code: number; said: string }> {
  const [name = '', ...args] = line.split(' ');
  const code = (await commands[name]?.run(config, args)) ?? -1;
  return { code, said: stderr.mock.calls.flat().join('\n') };
}

const countRows = async () => (await owner.pool.query('SELECT count(*)::int AS n FROM audit_log')).rows[0].n;

test.each([
  ['account grant --coins 3 --reason x', '--account is required'],
  ['account grant --account nonsense --coins 3 --reason x', '--account must be an id'],
  [`account grant --account ${UNKNOWN} --coins 3.5 --reason x`, '--coins must be a whole number'],
  [`account grant --account ${UNKNOWN} --coins -3 --reason x`, "'--coins' argument is ambiguous"],
  [`account grant --account ${UNKNOWN} --coins=-3 --reason x`, '--coins must be a whole number from 1'],
  [`account grant --account ${UNKNOWN} --coins 99999999999999999999 --reason x`, '--coins must be a whole number'],
  [
    `account grant --account ${UNKNOWN} --coins 3 --reason x --reference ${'r'.repeat(201)}`,
    '--reference must be at most',
  ],
  [`account adjust --account ${UNKNOWN} --coins 0 --reason x`, '--coins must not be 0'],
  ['account create --name x --coins -1', "'--coins' argument is ambiguous"],
  [`account limit --account ${UNKNOWN} --running 0`, '--running must be a whole number from 1'],
  [`account limit --account ${UNKNOWN}`, '--running, --raised or --rate is required'],
  [`account lock --account ${UNKNOWN} --reason ${'x'.repeat(201)}`, '--reason must be at most 200 characters'],
  [`account lock --account ${UNKNOWN} --reason a\u0007b`, '--reason must be at most 200 characters'],
  [`key create --account ${UNKNOWN} --name x --scopes fly`, '--scopes must be of generate, read'],
  [`key create --account ${UNKNOWN} --name x --cap 0`, '--cap must be a whole number from 1'],
  [`key create --account ${UNKNOWN} --name x --expires-days 99999999`, '--expires-days must be a whole number'],
  [`key limit --account ${UNKNOWN} --key ${UNKNOWN}`, '--rate, --cap or --request-cap is required'],
  ['webhook list --account 7', '--account must be an id'],
  [`webhook redeliver --account ${UNKNOWN} --endpoint ${UNKNOWN} --since yesterday`, '--since must be a date-time'],
  [
    `webhook test --account ${UNKNOWN} --endpoint ${UNKNOWN} --event tea`,
    '--event must be one of generation.succeeded',
  ],
  ['audit --limit 0', '--limit must be a whole number from 1'],
  ['ledger', '--account is required'],
  ['generation show --generation 12', '--generation must be an id'],
  ['switch close-model --model nosuch', '--model: the catalog has no model nosuch'],
  ['switch open-model --model nosuch', '--model: the catalog has no model nosuch'],
  ['switch close-channel --channel phone', '--channel must be one of web, api, mcp'],
  ['master-key forget', 'Add --yes to confirm it'],
  ['account grant --acount x', "Unknown option '--acount'"],
  ['account nonsense', 'main.ts account create'],
  [`account export --account ${UNKNOWN} --to ${tmpdir()}`, 'exists. Name a new folder'],
  [`account export --account ${UNKNOWN} --to /nowhere/at/all`, 'the folder /nowhere/at does not exist'],
  ['bucket restore --from /nowhere/at/all', '--from: /nowhere/at/all is not a folder'],
])('arguments are validated, and nothing changes: %s', async (line, message) => {
  const before = await countRows();
  const { code, said } = await run(line);
  expect(said).toContain(message);
  expect(code).toBe(2);
  expect(await countRows()).toBe(before);
});

test.each([
  `account grant --account ${UNKNOWN} --coins 3 --reason x`,
  `account adjust --account ${UNKNOWN} --coins 3 --reason x`,
  `account limit --account ${UNKNOWN} --running 3`,
  `account lock --account ${UNKNOWN} --reason x`,
  `account erase --account ${UNKNOWN} --yes`,
  `account export --account ${UNKNOWN} --to ${join(tmpdir(), `atelier-${randomBytes(6).toString('hex')}`)}`,
  `key create --account ${UNKNOWN} --name x`,
  `key limit --account ${UNKNOWN} --key ${UNKNOWN} --rate 3`,
  `key revoke --account ${UNKNOWN} --key ${UNKNOWN}`,
  `generation show --generation ${UNKNOWN}`,
])('an unknown resource is refused in one line: %s', async (line) => {
  const { code, said } = await run(line);
  expect(said).toMatch(/^There is no such (account|key|generation)\.$/);
  expect(code).toBe(1);
});

test.each([
  'ledger --account ' + UNKNOWN,
  'audit',
  'audit --since 2026-01-01',
  'offers',
  'queue',
  'switch list',
  'account list',
])('a read command prints JSON, also when there is nothing: %s', async (line) => {
  expect(await run(`${line} --json`)).toEqual({ code: 0, said: '' });
  expect(JSON.parse(stdout.mock.calls.flat().join(''))).toEqual(expect.any(Array));
});

test('every command has --help', () => {
  for (const [name, command] of Object.entries(commands)) {
    expect(renderHelp()).toContain(`  ${name} `);
    expect(command.help([])).toContain('--help');
  }
  const help = commands.account?.help(['grant']);
  expect(help).toContain('--reference');
  expect(help).toContain('--json');
  expect(help).not.toContain('account erase');
});
