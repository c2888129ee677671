import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeSchemas } from './make-schemas.ts';

const HELP = `Writes JSON schemas of the kinds that the chart has, for kubeconform.

Usage: node scripts/helm/write-schemas.ts OPENAPI DIR

OPENAPI is api/openapi-spec/swagger.json of Kubernetes.
`;
const KINDS = [
  'v1 ConfigMap',
  'v1 Service',
  'apps/v1 DaemonSet',
  'apps/v1 Deployment',
  'autoscaling/v2 HorizontalPodAutoscaler',
  'batch/v1 Job',
  'networking.k8s.io/v1 Ingress',
  'networking.k8s.io/v1 NetworkPolicy',
  'policy/v1 PodDisruptionBudget',
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { help: { type: 'boolean', default: false } },
});
const [openApi, dir] = positionals;
if (values.help) process.stdout.write(HELP);
else if (openApi === undefined || dir === undefined) {
  process.stderr.write(HELP);
  process.exitCode = 2;
} else {
  await mkdir(dir, { recursive: true });
  for (const [name, schema] of makeSchemas(JSON.parse(await readFile(openApi, 'utf8')), KINDS)) {
    await writeFile(join(dir, `${name}.json`), JSON.stringify(schema));
  }
}
