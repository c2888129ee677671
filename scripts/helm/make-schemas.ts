/** What the OpenAPI document of Kubernetes says of one object. */
interface Definition {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Definition>>;
  readonly additionalProperties?: Definition | boolean;
  readonly items?: Definition;
  readonly required?: readonly string[];
  readonly 'x-kubernetes-group-version-kind'?: readonly { group: string; version: string; kind: string }[];
  readonly [keyword: string]: unknown;
}

export interface OpenApi {
  readonly definitions: Readonly<Record<string, Definition>>;
}

const PREFIX = '#/definitions/';
/** The server accepts a number wherever it expects an amount such as 500m. */
const NUMBER_OR_TEXT = { anyOf: [{ type: 'string' }, { type: 'number' }] };
const QUANTITY = 'io.k8s.apimachinery.pkg.api.resource.Quantity';

/**
 * JSON schemas of kinds such as `apps/v1 Deployment`, by the names that kubeconform looks for: `deployment-apps-v1`. A property that
 * Kubernetes does not know is an error: the server would drop it.
 */
export function makeSchemas({ definitions }: OpenApi, kinds: readonly string[]): Map<string, object> {
  return new Map(
    kinds.map((each) => {
      const [version = '', kind = ''] = each.split(' ');
      const root = findDefinition(definitions, version, kind);
      const parts = Object.fromEntries(
        [...collect(definitions, root)].map((name) => [name, makeStrict(name, definitions[name] ?? {})]),
      );
      return [nameSchema(version, kind), { $ref: `${PREFIX}${root}`, definitions: parts }] as const;
    }),
  );
}

/** `networking.k8s.io/v1 Ingress` is `ingress-networking-v1`, `v1 Service` is `service-v1`. */
function nameSchema(apiVersion: string, kind: string): string {
  const parts = apiVersion.split('/');
  const group = parts.length > 1 ? `${parts[0]?.split('.')[0]}-` : '';
  return `${kind}-${group}${parts.at(-1)}`.toLowerCase();
}

function findDefinition(definitions: OpenApi['definitions'], apiVersion: string, kind: string): string {
  const found = Object.entries(definitions).find(([, row]) =>
    row['x-kubernetes-group-version-kind']?.some(
      (each) => each.kind === kind && apiVersion === (each.group === '' ? '' : `${each.group}/`) + each.version,
    ),
  );
  if (found === undefined) throw new Error(`Kubernetes has no ${apiVersion} ${kind}`);
  return found[0];
}

/** The definition and all that it refers to. */
function collect(definitions: OpenApi['definitions'], root: string): Set<string> {
  const found = new Set([root]);
  for (const name of found) {
    for (const [, next] of JSON.stringify(definitions[name] ?? {}).matchAll(/"\$ref":"#\/definitions\/([^"]+)"/g)) {
      found.add(next as string);
    }
  }
  return found;
}

function makeStrict(name: string, definition: Definition): object {
  if (name === QUANTITY || definition.format === 'int-or-string') return NUMBER_OR_TEXT;
  if (definition.$ref !== undefined) return { $ref: definition.$ref };
  const { type, properties, items, required, additionalProperties } = definition;
  return {
    ...(type === undefined ? {} : { type }),
    ...(required === undefined ? {} : { required }),
    ...(items === undefined ? {} : { items: makeStrict('', items) }),
    ...(typeof additionalProperties === 'object' ? { additionalProperties: makeStrict('', additionalProperties) } : {}),
    ...(properties === undefined
      ? {}
      : {
          additionalProperties: false,
          properties: Object.fromEntries(Object.entries(properties).map(([key, each]) => [key, makeStrict('', each)])),
        }),
  };
}
