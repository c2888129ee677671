import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { FFMPEG_READ_OPTIONS } from '@atelier/contract';
import { type SettingRow, settings } from '@atelier/server/entry/config/settings.ts';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';

const ROOT = resolve(import.meta.dirname, '..');
const read = (path: string) => readFile(join(ROOT, path), 'utf8');
const run = promisify(execFile);

interface Container {
  readonly image: string;
  readonly build?: { readonly target: string };
  readonly environment?: Readonly<Record<string, string | null>>;
  readonly secrets?: readonly string[];
  readonly ports?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly cap_drop?: readonly string[];
  readonly read_only?: boolean;
  readonly mem_limit?: string;
  readonly pids_limit?: number;
  readonly tmpfs?: readonly string[];
  readonly stop_grace_period?: string;
  readonly profiles?: readonly string[];
  readonly logging?: { readonly driver: string; readonly options: Readonly<Record<string, string>> };
  readonly command?: readonly string[];
  readonly networks?: readonly string[];
}

const text = await read('compose.yaml');
const compose = parse(text, { merge: true }) as {
  services: Record<string, Container>;
  secrets: Record<string, { file: string }>;
};
const dockerfile = await read('Dockerfile');
const table = Object.entries(settings as Record<string, SettingRow>);
const own = Object.entries(compose.services).filter(([, { build }]) => build !== undefined);
/** The file of a secret. The desk has a database role of its own. */
const secretOf = (service: string, name: string) =>
  service === 'desk' && name === 'DATABASE_URL' ? 'database_desk_url' : name.toLowerCase();
const ROLES = ['api', 'worker', 'cdn', 'console', 'desk'];

describe('settings in compose.yaml', () => {
  /** The image sets them: these ports are inside of containers. */
  const FIXED = new Set(['HOST', 'DESK_HOST', 'METRICS_PORT']);

  test.each(table)('%s can be given in .env', (name, { kind }) => {
    if (FIXED.has(name)) return;
    const passedOn = own.filter(([, { environment = {} }]) => environment[name] === null);
    const isFilledIn = text.includes(`\${${name}:-`);
    expect(passedOn.length > 0 || isFilledIn, `${name} is neither passed on nor filled in`).toBe(true);
    if (kind !== 'secret') return;
    for (const [service, { environment = {}, secrets = [] }] of passedOn) {
      const file = secretOf(service, name);
      expect(environment[`${name}_FILE`], service).toBe(`/run/secrets/${file}`);
      expect(secrets, service).toContain(file);
    }
  });

  test('compose.yaml passes on nothing that is no setting', () => {
    const known = new Set(table.flatMap(([name]) => [name, `${name}_FILE`]));
    const unknown = own.flatMap(([, { environment = {} }]) =>
      Object.keys(environment).filter((name) => !known.has(name)),
    );
    expect(unknown).toEqual([]);
  });

  test('no secret has a value in compose.yaml', () => {
    for (const [name, { kind }] of table) {
      if (kind !== 'secret') continue;
      expect(text).not.toMatch(new RegExp(`\\b${name}: [^\\n/]`));
      expect(text).not.toContain(`\${${name}`);
    }
  });
});

describe('secrets of each role', () => {
  const filesOf = (name: string) =>
    Object.entries(compose.services[name]?.environment ?? {})
      .filter(([, value]) => value?.startsWith('/run/secrets/'))
      .map(([each]) => each);

  test('a role mounts the secrets that its settings name, and no others', () => {
    for (const [name, { secrets = [] }] of own) {
      expect([...secrets].sort(), name).toEqual(
        filesOf(name)
          .map((each) => secretOf(name, each.replace('_FILE', '')))
          .sort(),
      );
    }
  });

  test('only what the role uses', () => {
    const service = ['DATABASE_URL', 'MASTER_KEY', 'S3_ACCESS_KEY', 'S3_SECRET_KEY'];
    const stripe = ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'];
    const collector = 'OTEL_EXPORTER_OTLP_HEADERS';
    const expected: Record<string, string[]> = {
      // Operator commands run in the container of the API.
      api: [...service, 'DATABASE_DIRECT_URL', 'REDIS_URL', ...stripe, collector],
      worker: [...service, 'DATABASE_DIRECT_URL', 'SMTP_URL', 'SAFETY_MODERATION_KEY', collector],
      cdn: [...service, 'EDGE_SECRET'],
      console: [...service, 'REDIS_URL', ...stripe, 'SMTP_URL', 'OIDC_CLIENT_SECRET', 'FIRST_USER_PASSWORD', collector],
      desk: [...service, 'REDIS_URL', collector],
      migrate: ['DATABASE_OWNER_URL'],
      bucket: ['S3_ACCESS_KEY', 'S3_SECRET_KEY'],
    };
    for (const [name] of own) {
      expect(filesOf(name).sort(), name).toEqual((expected[name] as string[]).map((each) => `${each}_FILE`).sort());
    }
  });
});

describe('confinement of containers', () => {
  test.each(own)('%s cannot write to its image, has no capability, and has limits', (_name, container) => {
    expect(container).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
    expect(container.security_opt).toContain('no-new-privileges:true');
    expect(container.tmpfs?.[0]).toMatch(/^\/tmp:size=/);
  });

  test.each(Object.entries(compose.services))('%s has limits of memory and processes', (_name, container) => {
    expect(container.mem_limit).toBeTruthy();
    expect(container.pids_limit).toBeGreaterThan(0);
  });

  test('ports are published on this machine alone, except those of the edge', () => {
    for (const [name, { ports = [] }] of Object.entries(compose.services)) {
      if (name === 'edge') continue;
      for (const port of ports) expect(port, name).toMatch(/^(127\.0\.0\.1|\$\{BIND_ADDRESS:-127\.0\.0\.1\}):/);
    }
  });

  test.each(Object.entries(compose.services))('%s has a log that is rotated', (_name, { logging }) => {
    expect(logging).toMatchObject({ options: { 'max-size': expect.any(String), 'max-file': expect.any(String) } });
  });

  test('the object store has one open port, and only who stores files reaches it', () => {
    const { s3, ...others } = compose.services;
    expect(s3?.ports).toBeUndefined();
    expect(s3?.command).toEqual(
      expect.arrayContaining(['-ip.bind=127.0.0.1', '-s3.ip.bind=0.0.0.0', '-s3.port.iceberg=0', '-s3.port.lance=0']),
    );
    expect(s3?.networks).toEqual(['files']);
    const reaching = Object.entries(others).filter(([, { networks = [] }]) => networks.includes('files'));
    expect(reaching.map(([name]) => name).sort()).toEqual([...ROLES, 'bucket'].sort());
  });

  test('Prometheus sends alerts to an Alertmanager, and has metrics of PostgreSQL and of the disk', async () => {
    const config = parse(await read('deploy/compose/prometheus.yaml')) as {
      alerting: object;
      rule_files: string[];
      scrape_configs: Array<{ job_name: string; static_configs?: Array<{ targets: string[] }> }>;
    };
    expect(config.alerting).toEqual({ alertmanagers: [{ static_configs: [{ targets: ['alertmanager:9093'] }] }] });
    expect(config.rule_files).toEqual(['alerts.yaml', 'host-alerts.yaml']);
    const targets = config.scrape_configs.flatMap(({ static_configs = [] }) =>
      static_configs.flatMap((each) => each.targets),
    );
    expect(targets).toEqual(['postgres-exporter:9187', 'node-exporter:9100']);
    for (const name of ['alertmanager', 'postgres-exporter', 'node-exporter']) {
      expect(compose.services[name]?.profiles, name).toEqual(['monitoring']);
    }
  });

  test('a container has longer to stop than its process takes at most', () => {
    const seconds = Number(
      /^\$\{STOP_GRACE_PERIOD:-(\d+)s\}$/.exec(compose.services.api?.stop_grace_period ?? '')?.[1],
    );
    expect(seconds).toBeGreaterThan(Number(settings.SHUTDOWN_SECONDS.default) + 10);
    for (const role of ROLES)
      expect(compose.services[role]?.stop_grace_period).toBe(`\${STOP_GRACE_PERIOD:-${seconds}s}`);
  });

  test('the system call filter allows the namespaces of bubblewrap and no other', async () => {
    expect(text).not.toContain('seccomp:unconfined');
    for (const role of ['api', 'worker', 'console', 'desk']) {
      expect(compose.services[role]?.security_opt).toContain('seccomp:./deploy/seccomp.json');
    }
    const profile = JSON.parse(await read('deploy/seccomp.json')) as {
      defaultAction: string;
      syscalls: { names: string[]; action: string; args?: { value: number; op: string }[] }[];
    };
    expect(profile.defaultAction).toBe('SCMP_ACT_ERRNO');
    const allowed = profile.syscalls.filter(({ action }) => action === 'SCMP_ACT_ALLOW');
    const free = new Set(allowed.filter(({ args }) => args === undefined).flatMap(({ names }) => names));
    for (const name of [
      'clone',
      'clone3',
      'unshare',
      'setns',
      'socket',
      'personality',
      'chroot',
      'ptrace',
      'bpf',
      'keyctl',
    ])
      expect(free).not.toContain(name);
    for (const name of [
      'io_uring_setup',
      'perf_event_open',
      'userfaultfd',
      'add_key',
      'init_module',
      'open_by_handle_at',
    ])
      expect(free).not.toContain(name);
    const valuesOf = (name: string) =>
      allowed.filter(({ names }) => names.includes(name)).flatMap(({ args = [] }) => args.map(({ value }) => value));
    const namespaces = 0x7e020000;
    expect(valuesOf('clone')).toEqual([namespaces, namespaces + 17, namespaces - 0x02000000 + 17]);
    expect(valuesOf('unshare')).toEqual([0x10000000]);
  });
});

describe('Dockerfile', () => {
  test('both images run as a user without privileges, say what they are, and list their parts', () => {
    const stages = dockerfile.split(/^FROM /m).slice(1);
    for (const target of ['api', 'worker']) {
      const stage = stages.find((each) => each.startsWith(`system AS ${target}\n`)) ?? '';
      expect(stage, target).toMatch(/^USER node$/m);
      expect(stage, target).toContain('write-sbom.mjs');
      for (const label of ['title', 'description', 'licenses', 'version', 'revision']) {
        expect(stage, target).toContain(`org.opencontainers.image.${label}=`);
      }
    }
    expect(dockerfile).toMatch(/^HEALTHCHECK /m);
    expect(dockerfile).toMatch(/^STOPSIGNAL SIGTERM$/m);
    expect(stages.at(-1)).toMatch(/^system AS api\n/);
    expect(stages.at(-1)).not.toContain('engines');
  });

  test('the version of the images is the version of the project', async () => {
    const { version } = JSON.parse(await read('package.json'));
    expect(Array.from(dockerfile.matchAll(/^ARG VERSION=(.*)$/gm), ([, each]) => each)).toEqual([version, version]);
    expect(text).toContain(`atelier:\${ATELIER_VERSION:-${version}}`);
  });

  test('the ffmpeg of the api image decodes what the service allows, and nothing else', async () => {
    const script = await read('deploy/image/build-ffmpeg.sh');
    const built = Array.from(script.matchAll(/^DECODERS\+?=,?(.*)$/gm), ([, names]) =>
      (names as string).split(','),
    ).flat();
    const allowed = FFMPEG_READ_OPTIONS[FFMPEG_READ_OPTIONS.indexOf('-codec_whitelist') + 1]?.split(',') ?? [];
    /** What ffmpeg's own decoders and libdav1d decode too. */
    const OTHER_LIBRARIES = new Set(['libaom-av1', 'libvorbis', 'libopus', 'libspeex']);
    const NAMES: Readonly<Record<string, string>> = { libvpx_vp8: 'libvpx', libvpx_vp9: 'libvpx-vp9' };
    expect(built.map((name) => NAMES[name] ?? name).sort()).toEqual(
      allowed.filter((name) => !OTHER_LIBRARIES.has(name)).sort(),
    );
  });
});

describe('scripts/generate-secrets', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'atelier-secrets-'));
    onTestFinished(() => rm(dir, { recursive: true, force: true }));
  });
  const generate = async (env: Record<string, string> = {}) => {
    const { stdout } = await run(join(ROOT, 'scripts/generate-secrets'), ['--json'], {
      cwd: dir,
      env: { PATH: process.env.PATH ?? '', ...env },
    });
    return JSON.parse(stdout) as { dir: string; created: string[]; kept: string[] };
  };
  const readSecret = async (name: string) => (await readFile(join(dir, 'secrets', name), 'utf8')).trim();

  test('writes every file that compose.yaml names, in a directory for the owner alone', async () => {
    const { created } = await generate();
    const files = await readdir(join(dir, 'secrets'));
    expect(created.sort()).toEqual(files.sort());
    for (const [name, { file }] of Object.entries(compose.secrets)) {
      expect(files).toContain(name);
      expect(file).toBe(`\${SECRETS_DIR:-./secrets}/${name}`);
    }
    expect(((await stat(join(dir, 'secrets'))).mode & 0o777).toString(8)).toBe('700');
    expect(Buffer.from(await readSecret('master_key'), 'base64')).toHaveLength(32);
    expect(await readSecret('database_url')).toBe(
      `postgres://atelier:${await readSecret('database_password')}@postgres:5432/atelier`,
    );
    expect(JSON.parse(await readSecret('s3_identities')).identities[0].credentials).toEqual([
      { accessKey: await readSecret('s3_access_key'), secretKey: await readSecret('s3_secret_key') },
    ]);
  });

  test('a second run changes nothing', async () => {
    const { created } = await generate();
    const files = created.sort();
    const values = await Promise.all(files.map(readSecret));
    const second = await generate();
    expect(second.created).toEqual([]);
    expect(second.kept.sort()).toEqual(files);
    expect(await Promise.all(files.map(readSecret))).toEqual(values);
  });

  test('values of .env and of the environment are used, and a written value is never replaced', async () => {
    await writeFile(
      join(dir, '.env'),
      'PORT=8080\nMASTER_KEY="from .env="\n#SMTP_URL=smtp://comment\nS3_ACCESS_KEY=first\nS3_ACCESS_KEY=last\n',
    );
    await generate({ DATABASE_PASSWORD: 'given' });
    expect(await readSecret('master_key')).toBe('from .env=');
    expect(await readSecret('s3_access_key')).toBe('last');
    expect(await readSecret('database_url')).toContain(':given@');
    expect(await readSecret('smtp_url')).toBe('');
    await generate({ MASTER_KEY: 'other', SMTP_URL: 'smtp://mail' });
    expect(await readSecret('master_key')).toBe('from .env=');
    expect(await readSecret('smtp_url')).toBe('smtp://mail');
  });
});
