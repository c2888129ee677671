interface Bom {
  serialNumber?: string;
  metadata: { timestamp: string; component: { name: string; purl: string } };
  components: { 'bom-ref': string; externalReferences?: { type: string }[] }[];
  dependencies: { ref: string; dependsOn?: string[] }[];
}

/**
 * What `npm sbom` printed, without what differs between two runs or two machines: the serial number, the time, the name of the folder, and
 * addresses that packages were downloaded from.
 */
export function normalizeSbom(text: string, { seconds, name }: { seconds: number; name: string }): string {
  const { serialNumber: _random, ...bom } = JSON.parse(text) as Bom;
  return `${JSON.stringify(
    {
      ...bom,
      metadata: {
        ...bom.metadata,
        timestamp: new Date(seconds * 1000).toISOString(),
        component: { ...bom.metadata.component, name },
      },
      components: bom.components
        .map((each) => ({
          ...each,
          externalReferences: (each.externalReferences ?? []).filter(({ type }) => type !== 'distribution'),
        }))
        .sort(by((each) => each['bom-ref'])),
      dependencies: bom.dependencies
        .map((each) => ({ ...each, dependsOn: [...(each.dependsOn ?? [])].sort() }))
        .sort(by((each) => each.ref)),
    },
    null,
    2,
  )}\n`;
}

function by<Item>(key: (item: Item) => string): (a: Item, b: Item) => number {
  return (a, b) => (key(a) < key(b) ? -1 : 1);
}
