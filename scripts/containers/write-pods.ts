import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseAllDocuments, stringify } from 'yaml';
import { createSandboxDatabase } from '../sandbox/create-sandbox-database.ts';
import type { BackingServices } from '../services.ts';

const HELP = `Writes the pods of the chart as podman can run them, for scripts/test-pods.

Usage: node scripts/containers/write-pods.ts --services FILE --out DIR

Reads deploy/helm/rendered/minimal.gen.yaml. Writes migrate.yaml, roles.yaml and the secrets of a new database of the services.`;

const RENDERED = 'deploy/helm/rendered/minimal.gen.yaml';
const LEFT_TO_KUBERNETES = ['startupProbe', 'livenessProbe', 'readinessProbe', 'lifecycle', 'ports'] as const;
/** All pods share the network of this machine. */
const METRICS_PORTS: Readonly<Record<string, string>> = {
  api: '9564',
  worker: '9565',
  cdn: '9566',
  console: '9567',
  migrate: '0',
};

interface Container extends Record<string, unknown> {
  name: string;
  image: string;
  env: { name: string; value: string }[];
  securityContext: Record<string, unknown>;
}

interface Volume extends Record<string, unknown> {
  projected?: { sources: { secret: { name: string } }[] };
  secret?: { secretName: string };
}

interface PodSpec extends Record<string, unknown> {
  containers: Container[];
  initContainers?: Container[];
  volumes?: Volume[];
  securityContext: Record<string, unknown>;
}

interface Rendered {
  kind: string;
  metadata: { name: string };
  spec: { replicas?: number; template: { spec: PodSpec } };
}

/** What podman does not know is left out or replaced: probes, filters by name, and Secrets, which it would mount encoded. */
function forPodman(spec: PodSpec, options: { settings: Record<string, string>; secretsDir: string }): PodSpec {
  for (const container of [...spec.containers, ...(spec.initContainers ?? [])]) {
    for (const field of LEFT_TO_KUBERNETES) delete container[field];
    delete container.securityContext.seccompProfile;
    delete container.securityContext.appArmorProfile;
    container.image = `localhost/${container.image}`;
    container.imagePullPolicy = 'Never';
    const settings = { ...options.settings, METRICS_PORT: METRICS_PORTS[container.name] ?? '0' };
    const kept = (container.env ?? []).filter(({ name }) => !(name in settings));
    container.env = [...kept, ...Object.entries(settings).map(([name, value]) => ({ name, value }))];
  }
  delete spec.securityContext.seccompProfile;
  for (const volume of spec.volumes ?? []) {
    const secret = volume.projected?.sources[0]?.secret.name ?? volume.secret?.secretName;
    if (secret === undefined) continue;
    delete volume.projected;
    delete volume.secret;
    volume.hostPath = { path: join(options.secretsDir, secret), type: 'Directory' };
  }
  return { ...spec, hostNetwork: true };
}

async function writeSecrets(dir: string, secrets: Record<string, Record<string, string>>): Promise<void> {
  for (const [name, values] of Object.entries(secrets)) {
    await mkdir(join(dir, name), { recursive: true });
    for (const [key, value] of Object.entries(values)) {
      await writeFile(join(dir, name, key), value);
      // The user of the container reads it.
      await chmod(join(dir, name, key), 0o644);
    }
  }
}

const { values } = parseArgs({
  options: { services: { type: 'string' }, out: { type: 'string' }, help: { type: 'boolean' } },
});
if (values.help || values.services === undefined || values.out === undefined) {
  console.log(HELP);
  process.exitCode = values.help ? 0 : 2;
} else {
  const { postgresUrl, redisUrl, s3 } = JSON.parse(await readFile(values.services, 'utf8')) as BackingServices;
  const database = await createSandboxDatabase(postgresUrl);
  const secretsDir = join(values.out, 'secrets');
  await writeSecrets(secretsDir, {
    atelier: {
      database_url: database.appUrl,
      redis_url: redisUrl,
      master_key: randomBytes(32).toString('base64'),
      s3_access_key: s3.accessKey,
      s3_secret_key: s3.secretKey,
    },
    'atelier-owner': { database_owner_url: database.ownerUrl },
  });
  const settings = {
    PUBLIC_URL: 'http://127.0.0.1:8080',
    CDN_URL: 'http://127.0.0.1:8081',
    CONSOLE_URL: 'http://localhost:8083',
    S3_ENDPOINT: s3.endpoint,
    S3_REGION: s3.region,
    S3_BUCKET: s3.bucket,
    // Without weights, checks that block would disable the models.
    SAFETY_PROMPT: 'flag',
    SAFETY_PICTURE: 'flag',
  };
  const objects = parseAllDocuments(await readFile(RENDERED, 'utf8')).map((document) => document.toJS() as Rendered);
  const pods = objects.filter((object) => object !== null && ['Deployment', 'Job'].includes(object.kind));
  const written: Record<'migrate' | 'roles', unknown[]> = { migrate: [], roles: [] };
  for (const object of pods) {
    const spec = forPodman(object.spec.template.spec, { settings, secretsDir });
    if (object.kind === 'Job') {
      const { metadata } = object;
      written.migrate.push({ apiVersion: 'v1', kind: 'Pod', metadata, spec: { ...spec, restartPolicy: 'Never' } });
    } else {
      object.spec.replicas = 1;
      object.spec.template.spec = spec;
      written.roles.push(object);
    }
  }
  for (const [name, list] of Object.entries(written)) {
    await writeFile(join(values.out, `${name}.yaml`), list.map((each) => stringify(each)).join('---\n'));
  }
}
