import { type SettingRow, settings } from '@atelier/server/entry/config/settings.ts';
import { findPolicyProblems, type NetworkPolicy } from './policy-rules.ts';

/** What these rules read of an object of Kubernetes. */
export interface KubeObject {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec?: unknown;
}

interface Container {
  readonly name: string;
  readonly env?: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: unknown }[];
  readonly securityContext?: {
    readonly privileged?: boolean;
    readonly allowPrivilegeEscalation?: boolean;
    readonly readOnlyRootFilesystem?: boolean;
    readonly runAsNonRoot?: boolean;
    readonly capabilities?: { readonly add?: readonly string[]; readonly drop?: readonly string[] };
    readonly seccompProfile?: { readonly type: string };
  };
  readonly resources?: { readonly requests?: object; readonly limits?: { readonly memory?: string } };
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly lifecycle?: { readonly preStop?: { readonly sleep?: { readonly seconds: number } } };
}

interface Probe {
  readonly httpGet?: { readonly path: string };
}

interface PodSpec {
  readonly automountServiceAccountToken?: boolean;
  readonly terminationGracePeriodSeconds?: number;
  readonly securityContext?: { readonly runAsNonRoot?: boolean; readonly seccompProfile?: { readonly type: string } };
  readonly topologySpreadConstraints?: readonly unknown[];
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly volumes?: readonly {
    readonly secret?: SecretSource;
    readonly projected?: { readonly sources: readonly { readonly secret?: SecretSource }[] };
  }[];
}

interface SecretSource {
  readonly items?: readonly { readonly key: string }[];
}

interface Workload {
  readonly replicas?: number;
  readonly template: { readonly spec: PodSpec };
}

const SERVICE = ['database_url', 'master_key', 's3_access_key', 's3_secret_key'];
const TRACES = 'otel_exporter_otlp_headers';
const STRIPE = ['stripe_secret_key', 'stripe_webhook_secret'];
/** What a role may read. The same lists hold for compose.yaml. */
const SECRETS: Readonly<Record<string, readonly string[]>> = {
  api: [...SERVICE, 'database_direct_url', 'redis_url', ...STRIPE, TRACES],
  worker: [...SERVICE, 'database_direct_url', 'smtp_url', 'safety_moderation_key', TRACES],
  cdn: [...SERVICE, 'edge_secret'],
  console: [...SERVICE, 'redis_url', ...STRIPE, 'smtp_url', 'oidc_client_secret', 'first_user_password', TRACES],
  desk: ['database_desk_url', ...SERVICE.slice(1), 'redis_url', 'smtp_url'],
  migrate: ['database_owner_url'],
  seccomp: [],
};
/** Roles that run bubblewrap. */
const CONFINING = new Set(['api', 'worker', 'console', 'desk']);
/** It writes into a directory of the node, which belongs to root. */
const ROOT_ALLOWED = 'write';
/** What a process takes at most after SHUTDOWN_SECONDS. */
const EXIT_SECONDS = 10;
const table = Object.entries(settings as Record<string, SettingRow>);
const secretNames = new Set(table.flatMap(([name, { kind }]) => (kind === 'secret' ? [name] : [])));

/** What is wrong with the objects of an installation, as one line each. */
export function findObjectProblems(objects: readonly KubeObject[]): string[] {
  const named = (kind: string) => objects.filter((each) => each.kind === kind);
  const workloads = objects.filter(({ kind }) => ['Deployment', 'DaemonSet', 'Job'].includes(kind));
  return [
    ...named('Secret').map(({ metadata }) => `Secret ${metadata.name}: secrets are references only`),
    ...workloads.flatMap((each) => label(each, findWorkloadProblems(each))),
    ...named('Deployment').flatMap((each) =>
      ['PodDisruptionBudget', 'NetworkPolicy']
        .filter((kind) => !named(kind).some(({ metadata }) => metadata.name === each.metadata.name))
        .map((kind) => `Deployment ${each.metadata.name}: has no ${kind}`),
    ),
    ...named('NetworkPolicy').flatMap((each) =>
      label(each, findPolicyProblems(roleOf(each), each.spec as NetworkPolicy)),
    ),
    ...named('HorizontalPodAutoscaler').flatMap((each) => label(each, findScalerProblems(each, named('Deployment')))),
    ...named('Job').flatMap((each) =>
      each.metadata.annotations?.['helm.sh/hook'] === 'pre-install,pre-upgrade'
        ? []
        : [`Job ${each.metadata.name}: must run before an installation and an upgrade`],
    ),
  ];
}

function label({ kind, metadata }: KubeObject, problems: readonly string[]): string[] {
  return problems.map((each) => `${kind} ${metadata.name}: ${each}`);
}

function roleOf({ metadata }: KubeObject): string {
  return metadata.name.split('-').at(-1) ?? '';
}

function findWorkloadProblems(object: KubeObject): string[] {
  const role = roleOf(object);
  const { spec } = (object.spec as Workload).template;
  const containers = [...spec.containers, ...(spec.initContainers ?? [])];
  const mounted = (spec.volumes ?? [])
    .flatMap(({ secret, projected }) => [secret, ...(projected?.sources ?? []).map((source) => source.secret)])
    .flatMap((source) => (source === undefined ? [] : (source.items ?? [{ key: 'every key' }])))
    .map(({ key }) => key);
  return [
    ...(spec.automountServiceAccountToken === false ? [] : ['mounts a token for the API of Kubernetes']),
    ...mounted.filter((key) => !SECRETS[role]?.includes(key)).map((key) => `mounts ${key}, which it does not need`),
    ...containers.flatMap((each) =>
      findContainerProblems(each, spec, { confines: CONFINING.has(role) && each.name === role }).map(
        (problem) => `${each.name}: ${problem}`,
      ),
    ),
    ...(object.kind === 'Deployment' ? findServerProblems(spec) : []),
  ];
}

function findContainerProblems(container: Container, pod: PodSpec, { confines }: { confines: boolean }): string[] {
  const { securityContext: own = {}, resources = {}, env = [], name } = container;
  const seccomp = own.seccompProfile ?? pod.securityContext?.seccompProfile;
  const problems: readonly (readonly [boolean, string])[] = [
    [own.privileged === true, 'is privileged'],
    [own.allowPrivilegeEscalation !== false, 'may gain privileges'],
    [own.readOnlyRootFilesystem !== true, 'can write to its image'],
    [!own.capabilities?.drop?.includes('ALL') || own.capabilities.add !== undefined, 'has capabilities'],
    [name !== ROOT_ALLOWED && (own.runAsNonRoot ?? pod.securityContext?.runAsNonRoot) !== true, 'may run as root'],
    [seccomp?.type !== (confines ? 'Localhost' : 'RuntimeDefault'), `has the system call filter ${seccomp?.type}`],
    [
      resources.limits?.memory === undefined || resources.requests === undefined,
      'has no limit of memory or no request',
    ],
  ];
  return [
    ...problems.flatMap(([isWrong, problem]) => (isWrong ? [problem] : [])),
    ...env
      .filter((each) => each.valueFrom !== undefined || secretNames.has(each.name))
      .map((each) => `${each.name} is a secret in the environment`),
  ];
}

/** A role that serves: it has probes, is spread over nodes, and has longer to stop than its process takes. */
function findServerProblems(spec: PodSpec): string[] {
  const [container] = spec.containers;
  const shutdown = container?.env?.find(({ name }) => name === 'SHUTDOWN_SECONDS')?.value;
  const needed =
    Number(shutdown ?? settings.SHUTDOWN_SECONDS.default) +
    EXIT_SECONDS +
    (container?.lifecycle?.preStop?.sleep?.seconds ?? 0);
  return [
    ...(container?.livenessProbe?.httpGet?.path === '/healthz' ? [] : ['has no liveness probe']),
    ...(container?.readinessProbe?.httpGet?.path === '/readyz' ? [] : ['has no readiness probe']),
    ...(spec.topologySpreadConstraints?.length ? [] : ['is not spread over nodes']),
    ...((spec.terminationGracePeriodSeconds ?? 0) > needed ? [] : [`needs more than ${needed} seconds to stop`]),
  ];
}

function findScalerProblems({ spec }: KubeObject, deployments: readonly KubeObject[]): string[] {
  const { name } = (spec as { scaleTargetRef: { name: string } }).scaleTargetRef;
  const target = deployments.find(({ metadata }) => metadata.name === name);
  if (target === undefined) return [`scales ${name}, which does not exist`];
  return (target.spec as Workload).replicas === undefined ? [] : [`${name} also has a fixed number of replicas`];
}
