import { execFile, spawnSync } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type SettingRow, settings } from '@atelier/server/entry/config/settings.ts';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';

const ROOT = resolve(import.meta.dirname, '..');
const UNITS = join(ROOT, 'deploy/systemd');
const run = promisify(execFile);
const table = settings as Record<string, SettingRow>;
const names = (await readdir(UNITS)).filter((name) => /\.(service|timer|target)$/.test(name));
const services = names.filter((name) => name.endsWith('.service'));
const read = (name: string) => readFile(join(UNITS, name), 'utf8');
const common = await read('atelier-.service.d/10-common.conf');
const valuesOf = (text: string, key: string) =>
  Array.from(text.matchAll(new RegExp(`^${key}=(.*)$`, 'gm')), ([, v]) => v as string);
const hasAnalyze = spawnSync('systemd-analyze', ['--version']).status === 0;

/** The units as installed here: the folder of the installation is this one. */
const dir = await mkdtemp(join(tmpdir(), 'atelier-units-'));
afterAll(() => rm(dir, { recursive: true, force: true }));
await cp(UNITS, dir, { recursive: true });
const node = await realpath(process.execPath);
for (const name of services) {
  await writeFile(join(dir, name), (await read(name)).replaceAll('/opt/atelier/node_modules/.bin/node', node));
}
const instanceOf = (name: string) => name.replace('@.', name.includes('worker') ? '@1.' : '@8080.');
const analyze = (...args: string[]) =>
  run('systemd-analyze', args, {
    env: { PATH: process.env.PATH, SYSTEMD_UNIT_PATH: `${dir}:`, SYSTEMD_LOG_LEVEL: 'warning' },
  });

describe.skipIf(!hasAnalyze)('systemd accepts the units', () => {
  test('systemd-analyze verify has no complaint', async () => {
    const { stdout, stderr } = await analyze('verify', '--man=no', '--recursive-errors=no', ...names.map(instanceOf));
    expect(stdout + stderr).toBe('');
  });

  test.each(services)('%s exposes little of the machine', async (name) => {
    const { stdout } = await analyze('security', '--offline=yes', '--no-pager', instanceOf(name));
    const [, level] = /Overall exposure level for \S+: ([\d.]+)/.exec(stdout) ?? [];
    expect(Number(level)).toBeGreaterThan(0);
    expect(Number(level)).toBeLessThanOrEqual(3);
  });
});

describe('units of systemd', () => {
  test('every role has a unit', async () => {
    const commands = await Promise.all(services.map(async (name) => valuesOf(await read(name), 'ExecStart')[0] ?? ''));
    const roles = commands.map((command) => / main\.ts (\S+)/.exec(command.replace('packages/server/src/', ''))?.[1]);
    expect(roles.sort()).toEqual(['api', 'cdn', 'console', 'desk', 'migrate', 'verify', 'worker']);
  });

  test('a process has longer to stop than it takes at most, and its children live until then', () => {
    const [stop] = valuesOf(common, 'TimeoutStopSec');
    expect(Number(stop)).toBeGreaterThan(Number(settings.SHUTDOWN_SECONDS.default) + 10);
    expect(valuesOf(common, 'KillMode')).toEqual(['mixed']);
  });

  test.each(services)('%s gets its secrets as credentials, each under the name of a setting', async (name) => {
    const text = await read(name);
    const credentials = valuesOf(text, 'LoadCredential').map((value) => value.split(':'));
    for (const [id, path] of credentials) expect(path).toBe(`/etc/atelier/credentials/${id}`);
    const assignments = valuesOf(text, 'Environment').flatMap((value) =>
      value.split(' ').map((each) => each.split('=')),
    );
    const files = assignments.filter(([setting]) => setting?.endsWith('_FILE'));
    expect(files.map(([, value]) => value?.replace('%d/', '')).sort()).toEqual(credentials.map(([id]) => id).sort());
    for (const [setting] of assignments) expect(table[setting?.replace(/_FILE$/, '') as string], setting).toBeDefined();
    for (const [setting] of files) expect(table[setting?.replace(/_FILE$/, '') as string]?.kind).toBe('secret');
    expect(assignments.filter(([setting]) => table[setting as string]?.kind === 'secret')).toEqual([]);
  });

  test('a role has the secrets that it has in compose.yaml', async () => {
    const compose = parse(await readFile(join(ROOT, 'compose.yaml'), 'utf8'), { merge: true }) as {
      services: Record<string, { secrets?: string[] }>;
    };
    // There, the commands of the operator run in the container of the API.
    const forCommands = { api: ['database_direct_url'] } as Record<string, string[]>;
    for (const role of ['api', 'worker', 'cdn', 'console', 'desk', 'migrate']) {
      const name = services.find((each) => each.startsWith(`atelier-${role}`)) as string;
      const credentials = valuesOf(await read(name), 'LoadCredential').map((value) => value.split(':')[0]);
      expect([...credentials, ...(forCommands[role] ?? [])].sort(), role).toEqual(
        compose.services[role]?.secrets?.toSorted(),
      );
    }
  });

  test('scripts/generate-secrets writes every credential', async () => {
    const script = await readFile(join(ROOT, 'scripts/generate-secrets'), 'utf8');
    for (const name of services) {
      for (const value of valuesOf(await read(name), 'LoadCredential')) {
        expect(script).toMatch(new RegExp(`\\b${value.split(':')[0]}\\b`));
      }
    }
  });
});
