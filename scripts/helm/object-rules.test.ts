import { expect, test } from 'vitest';
import { findObjectProblems, type KubeObject } from './object-rules.ts';

const CONFINED = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'Localhost', localhostProfile: 'atelier/seccomp.json' },
};

/** A sound installation of one role; the tests break one thing each. */
function createObjects() {
  const container = {
    name: 'worker',
    env: [{ name: 'DATABASE_URL_FILE', value: '/run/secrets/atelier/database_url' }] as object[],
    securityContext: { ...CONFINED } as Record<string, unknown>,
    resources: { requests: { memory: '1Gi' }, limits: { memory: '1Gi' } } as Record<string, unknown>,
    livenessProbe: { httpGet: { path: '/healthz', port: 'metrics' } },
    readinessProbe: { httpGet: { path: '/readyz', port: 'metrics' } },
  };
  const pod = {
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 45,
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    topologySpreadConstraints: [{ maxSkew: 1 }],
    containers: [container],
    volumes: [{ projected: { sources: [{ secret: { items: [{ key: 'database_url' }] } }] } }],
  };
  const deployment = { replicas: 2 as number | undefined, template: { spec: pod } };
  const egress = [
    {
      to: [
        {
          ipBlock: {
            cidr: '0.0.0.0/0',
            except: ['10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'],
          },
        },
      ],
    },
    { to: [{ ipBlock: { cidr: '2000::/3', except: [] as string[] } }], ports: [{ protocol: 'TCP', port: 443 }] },
  ];
  const policy = { policyTypes: ['Ingress', 'Egress'], egress };
  const objects: KubeObject[] = [
    { kind: 'Deployment', metadata: { name: 'atelier-worker' }, spec: deployment },
    { kind: 'PodDisruptionBudget', metadata: { name: 'atelier-worker' } },
    { kind: 'NetworkPolicy', metadata: { name: 'atelier-worker' }, spec: policy },
  ];
  return { objects, deployment, pod, container, policy, egress };
}

test('a sound installation has no problem', () => {
  expect(findObjectProblems(createObjects().objects)).toEqual([]);
});

const broken: readonly [string, (parts: ReturnType<typeof createObjects>) => void, RegExp][] = [
  ['a Secret', ({ objects }) => objects.push({ kind: 'Secret', metadata: { name: 'x' } }), /references only/],
  [
    'a secret in the environment',
    ({ container }) => container.env.push({ name: 'MASTER_KEY', value: 'x' }),
    /MASTER_KEY/,
  ],
  [
    'a secret of the environment by reference',
    ({ container }) => container.env.push({ name: 'X', valueFrom: { secretKeyRef: {} } }),
    /X is a secret/,
  ],
  [
    'a secret of another role',
    ({ pod }) => pod.volumes[0]?.projected.sources[0]?.secret.items.push({ key: 'redis_url' }),
    /mounts redis_url/,
  ],
  [
    'a writable image',
    ({ container }) => (container.securityContext.readOnlyRootFilesystem = false),
    /write to its image/,
  ],
  ['a privileged container', ({ container }) => (container.securityContext.privileged = true), /privileged/],
  [
    'more privileges',
    ({ container }) => (container.securityContext.allowPrivilegeEscalation = true),
    /gain privileges/,
  ],
  ['capabilities', ({ container }) => (container.securityContext.capabilities = { drop: [] }), /capabilities/],
  ['root', ({ pod }) => (pod.securityContext.runAsNonRoot = false), /run as root/],
  [
    'the filter of the runtime, under which bubblewrap fails',
    ({ container }) => (container.securityContext.seccompProfile = { type: 'RuntimeDefault' }),
    /filter RuntimeDefault/,
  ],
  ['no filter', ({ container }) => (container.securityContext.seccompProfile = { type: 'Unconfined' }), /Unconfined/],
  ['no limit of memory', ({ container }) => (container.resources = {}), /no limit of memory/],
  ['a token', ({ pod }) => (pod.automountServiceAccountToken = true), /token/],
  ['no readiness probe', ({ container }) => (container.readinessProbe.httpGet.path = '/'), /readiness/],
  ['no liveness probe', ({ container }) => (container.livenessProbe.httpGet.path = '/readyz'), /liveness/],
  ['one node', ({ pod }) => (pod.topologySpreadConstraints = []), /spread/],
  ['too little time to stop', ({ pod }) => (pod.terminationGracePeriodSeconds = 40), /more than 40 seconds/],
  [
    'a longer drain than the time to stop',
    ({ container }) => container.env.push({ name: 'SHUTDOWN_SECONDS', value: '60' }),
    /more than 70 seconds/,
  ],
  ['no disruption budget', ({ objects }) => objects.splice(1, 1), /no PodDisruptionBudget/],
  ['no network policy', ({ objects }) => objects.splice(2, 1), /no NetworkPolicy/],
  ['a policy for one direction', ({ policy }) => policy.policyTypes.pop(), /limit egress/],
  ['the metadata of the cloud', ({ egress }) => egress[0]?.to[0]?.ipBlock.except?.splice(3, 1), /169\.254\.169\.254/],
  ['the pods of the cluster', ({ egress }) => egress[0]?.to[0]?.ipBlock.except?.splice(0, 1), /10\.96\.0\.10/],
  ['no webhooks', ({ egress }) => egress.splice(0, 1), /webhooks cannot reach 1\.1\.1\.1/],
  [
    'an autoscaler beside a fixed number',
    ({ objects }) =>
      objects.push({
        kind: 'HorizontalPodAutoscaler',
        metadata: { name: 'atelier-worker' },
        spec: { scaleTargetRef: { name: 'atelier-worker' } },
      }),
    /fixed number/,
  ],
  [
    'a migration after the upgrade',
    ({ objects, pod }) =>
      objects.push({
        kind: 'Job',
        metadata: { name: 'atelier-migrate' },
        spec: { template: { spec: { ...pod, containers: [], volumes: [] } } },
      }),
    /before an installation/,
  ],
];

test.each(broken)('finds %s', (_name, breakIt, expected) => {
  const parts = createObjects();
  breakIt(parts);
  const problems = findObjectProblems(parts.objects);
  expect(problems.length).toBeGreaterThan(0);
  expect(problems.join('\n')).toMatch(expected);
});
