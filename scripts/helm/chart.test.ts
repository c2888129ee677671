import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type SettingRow, settings } from '@atelier/server/entry/config/settings.ts';
import { isPublicAddress } from '@atelier/server/platform/safe-fetch/address-policy.ts';
import { Check, Errors } from 'typebox/schema';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { allows, type NetworkPolicy } from './policy-rules.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const HELM = join(ROOT, 'deploy/helm');
const read = (path: string) => readFile(join(HELM, path), 'utf8');
const table = Object.entries(settings as Record<string, SettingRow>);
const secrets = table.filter(([, { kind }]) => kind === 'secret').map(([name]) => name);

type Values = Record<string, unknown> & { settings: Record<string, string> };
const defaults = parse(await read('atelier/values.yaml')) as Values;
const schema = JSON.parse(await read('atelier/values.schema.json')) as object;
const roles = await read('atelier/templates/_roles.tpl');

/** The YAML of a template that has no actions. */
function readDefine(text: string, name: string): unknown {
  const body = new RegExp(`{{- define "${name}" -}}\\n([\\s\\S]*?){{- end }}`).exec(text)?.[1] ?? '';
  return parse(body);
}

/** As Helm merges values: null removes a default. */
function merge(base: unknown, over: unknown): unknown {
  if (!isTree(base) || !isTree(over)) return over;
  const merged = { ...base };
  for (const [key, value] of Object.entries(over)) {
    if (value === null) delete merged[key];
    else merged[key] = merge(base[key], value);
  }
  return merged;
}

function isTree(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const findErrors = (values: unknown) => Errors(schema, values)[1].map(({ instancePath }) => instancePath);

describe('values', () => {
  test('the defaults lack only the URLs of the installation', () => {
    expect(findErrors(defaults)).toEqual(['/settings']);
  });

  test('every example is valid', async () => {
    const examples = await readdir(join(HELM, 'examples'));
    expect(examples.sort()).toEqual(['cluster.yaml', 'minimal.yaml', 'restricted.yaml']);
    for (const name of examples) {
      const values = merge(defaults, parse(await read(`examples/${name}`)));
      expect(findErrors(values), name).toEqual([]);
      for (const setting of Object.keys((values as Values).settings)) expect(setting in settings, setting).toBe(true);
    }
  });

  test('the values in the documentation are valid', async () => {
    const page = await readFile(join(ROOT, 'docs/operate/kubernetes.md'), 'utf8');
    const blocks = Array.from(page.matchAll(/^```yaml\n([\s\S]+?)^```/gm), ([, block]) => parse(block as string));
    const values = blocks.filter((block) => 'settings' in block);
    expect(values).toHaveLength(1);
    expect(findErrors(merge(defaults, values[0]))).toEqual([]);
  });

  test.each([
    ['a value that does not exist', { api: { replica: 3 } }],
    ['a number as a setting', { settings: { ACCOUNT_TEST_COINS: 1_000_000 } }],
    ['a port out of range', { networkPolicy: { redis: { port: 0 } } }],
    ['a secret that no role has', { optionalSecrets: ['database_owner_url'] }],
  ])('%s is refused', async (_name, over) => {
    const minimal = merge(defaults, parse(await read('examples/minimal.yaml')));
    expect(Check(schema, minimal)).toBe(true);
    expect(Check(schema, merge(minimal, over))).toBe(false);
  });

  test('every value has a type, and every type a default', () => {
    const { properties } = schema as { properties: object };
    expect(Object.keys(properties).sort()).toEqual([...Object.keys(defaults), 'global'].sort());
  });
});

describe('settings and secrets of roles', () => {
  const rows = readDefine(roles, 'atelier.roleTable') as Record<string, { secrets: string[]; optional: string[] }>;
  const refused = readDefine(roles, 'atelier.refusedSettings') as { fixed: string[]; secret: string[] };
  const groups = readDefine(roles, 'atelier.settingGroups') as Record<string, string[]>;

  test('every secret of the service is refused as a setting', () => {
    expect([...refused.secret].sort()).toEqual([...secrets].sort());
  });

  test('the chart names only settings that exist', () => {
    const named = [...refused.fixed, ...Object.values(groups).flat()];
    expect(named.filter((name) => !(name in settings))).toEqual([]);
  });

  test('each role has the secrets that it has in compose.yaml', async () => {
    const { services } = parse(await readFile(join(ROOT, 'compose.yaml'), 'utf8'), { merge: true }) as {
      services: Record<string, { secrets: string[] }>;
    };
    for (const [role, row] of Object.entries(rows)) {
      expect([...row.secrets, ...row.optional].sort(), role).toEqual([...(services[role]?.secrets ?? [])].sort());
    }
    expect(Object.keys(rows)).toEqual(['api', 'worker', 'cdn', 'console', 'desk']);
  });

  test('each optional secret of a role can be named', () => {
    const { properties } = schema as { properties: { optionalSecrets: { items: { enum: string[] } } } };
    const optional = new Set(Object.values(rows).flatMap((row) => row.optional));
    expect(properties.optionalSecrets.items.enum.sort()).toEqual([...optional].sort());
  });
});

describe('chart', () => {
  test('has the version of the project', async () => {
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(parse(await read('atelier/Chart.yaml'))).toMatchObject({ version, appVersion: version });
  });

  test('contains the system call filter of compose.yaml', async () => {
    expect(await read('atelier/files/seccomp.json')).toBe(await readFile(join(ROOT, 'deploy/seccomp.json'), 'utf8'));
  });

  test('has no secret', async () => {
    for (const file of await readdir(join(HELM, 'atelier/templates'))) {
      expect(await read(`atelier/templates/${file}`), file).not.toMatch(/^kind: Secret$/m);
    }
  });
});

describe('the public addresses of network policies', async () => {
  // Without the lines for ranges of the operator.
  const text = (await read('atelier/templates/_egress.tpl')).replace(/^ +({{- (range|if|end)|- {{ ).*\n/gm, '');
  const policy: NetworkPolicy = { egress: [{ to: readDefine(text, 'atelier.publicPeers') as never }] };

  test.each([
    ...['1.1.1.1', '9.255.255.255', '11.0.0.0', '172.15.255.255', '172.32.0.0', '192.167.255.255', '203.0.114.0'],
    ...[
      '0.0.0.1',
      '10.1.2.3',
      '100.100.1.1',
      '127.0.0.1',
      '169.254.169.254',
      '172.20.0.1',
      '192.168.0.1',
      '198.19.0.1',
    ],
    ...['192.0.2.1', '192.31.196.1', '192.52.193.1', '192.88.99.1', '192.175.48.1', '198.51.100.1', '203.0.113.1'],
    ...['224.0.0.1', '240.0.0.1', '255.255.255.255', '2606:4700::1', '2a00:1450::1', '2001:200::1', '2001:db8::1'],
    ...['2001::1', '2002::1', '2620:4f:8000::1', '3ffe::1', '3fff::1', 'fc00::1', 'fd00:ec2::254', 'fe80::1', '::1'],
    ...['::ffff:10.0.0.1', '64:ff9b::1', 'ff02::1'],
  ])('%s is as public as for the guarded client', (address) => {
    expect(allows(policy, { address, port: 443 })).toBe(isPublicAddress(address));
  });
});
