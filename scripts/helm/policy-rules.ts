import { BlockList, isIPv6 } from 'node:net';

export interface NetworkPolicy {
  readonly policyTypes?: readonly string[];
  readonly egress?: readonly {
    readonly to?: readonly { readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] } }[];
    readonly ports?: readonly { readonly protocol?: string; readonly port?: number }[];
  }[];
}

/** Addresses that customers must never make the webhook sender connect to. */
const INTERNAL = [
  '169.254.169.254',
  '10.0.0.1',
  '10.96.0.10',
  '100.64.0.1',
  '127.0.0.1',
  '172.16.0.1',
  '172.31.255.254',
  '192.168.1.1',
  'fd00:ec2::254',
  'fc00::1',
  'fe80::1',
  '::1',
  '::ffff:169.254.169.254',
  '64:ff9b::a9fe:a9fe',
];
const PUBLIC = ['1.1.1.1', '8.8.8.8', '2606:4700:4700::1111'];
/** An endpoint of a webhook, and ports of servers inside of a cluster. */
const WEBHOOK_PORT = 443;
const PORTS = [WEBHOOK_PORT, 80, 6443, 10250];

/** The range of a policy that has no address, but a name or a selector, allows no address here: its peers are known servers. */
export function allows({ egress = [] }: NetworkPolicy, { address, port }: { address: string; port: number }): boolean {
  return egress.some(
    ({ to, ports }) =>
      (ports === undefined || ports.some((each) => each.protocol !== 'UDP' && (each.port ?? port) === port)) &&
      (to === undefined ||
        to.some(
          ({ ipBlock }) =>
            ipBlock !== undefined && isIn(address, [ipBlock.cidr]) && !isIn(address, ipBlock.except ?? []),
        )),
  );
}

export function findPolicyProblems(role: string, policy: NetworkPolicy): string[] {
  const reaches = (address: string, port: number) => allows(policy, { address, port });
  return [
    ...['Ingress', 'Egress']
      .filter((type) => !policy.policyTypes?.includes(type))
      .map((type) => `does not limit ${type.toLowerCase()}`),
    ...INTERNAL.flatMap((address) =>
      PORTS.filter((port) => reaches(address, port)).map((port) => `allows ${address} on port ${port}`),
    ),
    ...(role === 'worker'
      ? PUBLIC.filter((address) => !reaches(address, WEBHOOK_PORT)).map((each) => `webhooks cannot reach ${each}`)
      : []),
    ...(role === 'migrate' ? PUBLIC.filter((address) => reaches(address, WEBHOOK_PORT)) : []).map(
      (each) => `allows ${each}`,
    ),
  ];
}

function isIn(address: string, ranges: readonly string[]): boolean {
  const family = isIPv6(address) ? 'ipv6' : 'ipv4';
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', bits] = range.split('/');
    const type = isIPv6(network) ? 'ipv6' : 'ipv4';
    // A range of IPv4 would also match an IPv6 address that embeds one of its addresses. The firewall of a node compares packets.
    if (type === family) list.addSubnet(network, Number(bits), type);
  }
  return list.check(address, family);
}
