import { problems } from '../../packages/contract/src/index.ts';
import type {
  JsonSchema,
  MediaType,
  OperationObject,
  Parameter,
  Response,
} from '../../packages/contract/src/openapi/document.ts';
import { renderOpenapi } from './render-openapi.ts';

const NOTE = 'Generated from `packages/contract/openapi.json` by `npm run generate`. Do not edit.';

interface Operation extends OperationObject {
  readonly method: string;
  readonly path: string;
}

interface Description {
  readonly info: { readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

const TITLES: Readonly<Record<string, string>> = {
  catalog: 'Models and effects',
  generations: 'Quotes and generations',
  files: 'Uploads and files',
  account: 'Account',
  events: 'Events',
};

const read = (): Description => JSON.parse(renderOpenapi()) as Description;

const operationsOf = ({ paths }: Description): Operation[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );

/** The first page: what holds for all operations, and a list of them. */
export function renderApiOverview(): string {
  const description = read();
  const sections = description.tags.map(({ name, description: says }) => {
    const rows = operationsOf(description)
      .filter(({ tags }) => tags.includes(name))
      .map(
        (each) =>
          `| [\`${each.method} ${each.path}\`](${name}.md#${anchorOf(each.summary)}) | ${each.summary} | ${scopeOf(each)} |`,
      );
    return `## ${TITLES[name]}\n\n${says}\n\n| Operation | Purpose | Scope |\n|---|---|---|\n${rows.join('\n')}`;
  });
  return `# API reference

${NOTE}

${description.info.description}

The address is that of your installation. Send the key as \`Authorization: Bearer KEY\`. A running service also has this reference as a page to try
requests at \`/docs\`, and the OpenAPI 3.1 document at \`/openapi.json\`.

${sections.join('\n\n')}

[Objects](objects.md) lists all fields.
`;
}

export const API_TAGS = Object.keys(TITLES);

/** The page of one tag: every operation with its params, body, response and problems. */
export function renderApiPage(tag: string): string {
  const description = read();
  const says = description.tags.find(({ name }) => name === tag)?.description ?? '';
  const operations = operationsOf(description).filter(({ tags }) => tags.includes(tag));
  return `# ${TITLES[tag]}

${NOTE}

${says}

<!-- tidy-allow-long: generated -->

${operations.map((each) => renderOperation(each, description.components.schemas)).join('\n\n')}
`;
}

function renderOperation(operation: Operation, schemas: Readonly<Record<string, JsonSchema>>): string {
  // The last success is that of the first request: 201 after the 200 of a repeat.
  const [status = '', response] = Object.entries(operation.responses)
    .filter(([each]) => each.startsWith('2'))
    .at(-1) as [string, Response];
  const [type, body] = Object.entries(response.content ?? {})[0] ?? [];
  const codes = Object.values(operation.responses).flatMap((each) => each['x-problem-codes'] ?? []);
  const scope = scopeOf(operation);
  const links = codes.toSorted(byStatus).map((code) => `[\`${code}\`](../problems/${code}.md)`);
  return [
    `## ${operation.summary}`,
    `\`${operation.method} ${operation.path}\` · ${scope === 'none' ? 'no key needed' : `scope ${scope}`}`,
    operation.description,
    renderParameters(operation.parameters ?? []),
    renderBody(operation.requestBody?.content, schemas),
    body === undefined
      ? ''
      : `**Response ${status}:** ${typeOf(body.schema)}${type === 'application/json' ? '' : `, as \`${type}\``}.`,
    renderExample(body, type),
    `**Problems:** ${links.join(', ')}.`,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function renderParameters(parameters: readonly Parameter[]): string {
  const labels = { path: 'Path', query: 'Query', header: 'Headers' } as const;
  return (['path', 'query', 'header'] as const)
    .map((place) => ({ place, rows: parameters.filter((each) => each.in === place) }))
    .filter(({ rows }) => rows.length > 0)
    .map(
      ({ place, rows }) =>
        `**${labels[place]}**\n\n| Name | Type | Meaning |\n|---|---|---|\n${rows
          .map(({ name, schema, description, required }) => renderRow(name, schema, required, description))
          .join('\n')}`,
    )
    .join('\n\n');
}

function renderBody(
  content: Readonly<Record<string, MediaType>> | undefined,
  schemas: Readonly<Record<string, JsonSchema>>,
): string {
  const [type, body] = Object.entries(content ?? {})[0] ?? [];
  if (type === undefined || body === undefined) return '';
  const fields = flatten(body.schema, schemas);
  const kind = type === 'application/json' ? typeOf(body.schema) : `\`${type}\``;
  return [
    `**Body:** ${kind}.`,
    fields.properties === undefined ? '' : renderFields(fields),
    type === 'application/json' ? renderExample(body, type) : '',
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** The fields of a body in one table: of all variants, and required if every variant requires it. */
function flatten(schema: JsonSchema, schemas: Readonly<Record<string, JsonSchema>>): JsonSchema {
  if (typeof schema.$ref === 'string')
    return flatten(schemas[schema.$ref.split('/').at(-1) as string] as JsonSchema, schemas);
  if (!Array.isArray(schema.oneOf)) return schema;
  const variants = (schema.oneOf as JsonSchema[]).map((each) => flatten(each, schemas));
  const required = variants.map((each) => each.required as string[]);
  return {
    properties: Object.assign({}, ...variants.map((each) => each.properties)),
    required: required[0]?.filter((name) => required.every((names) => names.includes(name))) ?? [],
  };
}

function renderExample(media: MediaType | undefined, type: string | undefined): string {
  if (media?.example === undefined) return '';
  return type === 'application/json'
    ? `\`\`\`json\n${JSON.stringify(media.example, null, 2)}\n\`\`\``
    : `\`\`\`text\n${shorten(String(media.example))}\n\`\`\``;
}

const MAX_TEXT_LINE = 160;
const shorten = (text: string): string =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => (line.length > MAX_TEXT_LINE ? `${line.slice(0, MAX_TEXT_LINE)}...` : line))
    .join('\n');

/** All named objects, with their fields. */
export function renderApiObjects(): string {
  const { schemas } = read().components;
  const sections = Object.keys(schemas)
    .toSorted()
    .map((name) => renderObject(name, schemas[name] as JsonSchema));
  return `# Objects

${NOTE}

The objects in requests and responses. A field with \`?\` can be missing. Version 1 only adds: ignore fields and tolerate values that you do not know.

<!-- tidy-allow-long: generated -->

${sections.join('\n\n')}
`;
}

function renderObject(name: string, schema: JsonSchema): string {
  const says = typeof schema.description === 'string' ? `${schema.description}\n\n` : '';
  if (name === 'ParamValues') {
    const names = Object.keys(schema.properties as object).map((each) => `\`${each}\``);
    return `## ${name}\n\n${says}The params of a request by name. Each value is a ${link('ParamValue')}. Names: ${names.join(', ')}.`;
  }
  if (schema.properties !== undefined) return `## ${name}\n\n${says}${renderFields(schema)}`;
  return `## ${name}\n\n${says}${capital(typeOf(schema))}.`;
}

function renderFields(schema: JsonSchema): string {
  const required = new Set(schema.required as string[] | undefined);
  const rows = Object.entries(schema.properties as Record<string, JsonSchema>).map(([name, each]) =>
    renderRow(name, each, required.has(name)),
  );
  return `| Field | Type | Meaning |\n|---|---|---|\n${rows.join('\n')}`;
}

function renderRow(name: string, schema: JsonSchema, required: boolean, description?: string): string {
  const says = description ?? (schema.description as string | undefined) ?? '';
  const cells = [
    `\`${name}${required ? '' : '?'}\``,
    typeOf(schema),
    [says, limitsOf(schema)].filter(Boolean).join(' '),
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
}

function typeOf(schema: JsonSchema): string {
  if (typeof schema.$ref === 'string') return link(schema.$ref.split('/').at(-1) as string);
  const several = (schema.oneOf ?? schema.anyOf) as JsonSchema[] | undefined;
  if (several !== undefined) return several.map(typeOf).join(' or ');
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (schema.const !== undefined) return `\`${String(schema.const)}\``;
  const types = [schema.type].flat() as string[];
  const names = types.map((type) => {
    if (type === 'array') return `array of ${typeOf(schema.items as JsonSchema)}`;
    if (type === 'string' && schema.format === 'date-time') return 'date-time';
    if (type === 'string' && schema.format === 'binary') return 'file';
    if (type === 'object' && schema.properties !== undefined) {
      return `object { ${Object.entries(schema.properties as Record<string, JsonSchema>)
        .map(([name, each]) => `\`${name}\`: ${typeOf(each)}`)
        .join(', ')} }`;
    }
    return type;
  });
  return names.join(' or ');
}

function limitsOf(schema: JsonSchema): string {
  const limits = [
    schema.default === undefined ? '' : `Default: \`${JSON.stringify(schema.default)}\`.`,
    schema.minimum === undefined || schema.minimum === 0 ? '' : `At least ${schema.minimum}.`,
    schema.maximum === undefined || schema.maximum === Number.MAX_SAFE_INTEGER ? '' : `At most ${schema.maximum}.`,
    schema.maxLength === undefined ? '' : `At most ${schema.maxLength} characters.`,
  ];
  return limits.filter(Boolean).join(' ');
}

const link = (name: string): string => `[${name}](objects.md#${name.toLowerCase()})`;
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(/\s/g, '-');
const capital = (text: string): string => `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}`;
const statusOf = (code: string): number => problems[code as keyof typeof problems].status;
const byStatus = (a: string, b: string): number => statusOf(a) - statusOf(b) || a.localeCompare(b);

function scopeOf({ security }: Operation): string {
  const scope = security.flatMap((each) => Object.values(each).flat())[0];
  return scope === undefined ? 'none' : `\`${scope}\``;
}
