import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import ts from 'typescript';

const SOURCE = resolve(import.meta.dirname, '../../packages/sdk/src');

/** Where the methods of each part of the client are written. */
const PARTS = {
  models: ['client.ts', 'createModels'],
  effects: ['client.ts', 'createEffects'],
  quotes: ['client.ts', 'createQuotes'],
  generations: ['generations.ts', 'createGenerations'],
  uploads: ['uploads.ts', 'createUploads'],
  assets: ['outputs.ts', 'createAssets'],
  account: ['client.ts', 'createAccount'],
  events: ['client.ts', 'createEvents'],
} as const;

const INTERFACES = {
  'client.ts': ['AtelierOptions'],
  'transport.ts': ['RequestOptions', 'ResponseInfo'],
  'generations.ts': ['CreateOptions', 'RunOptions'],
  'wait-for-generation.ts': ['WaitOptions'],
  'uploads.ts': ['UploadOptions'],
  'outputs.ts': ['Output'],
  'paginate.ts': ['Page'],
  'event-stream.ts': ['StreamOptions'],
  'verify-webhook.ts': ['VerifyOptions'],
  'receivers/receive-webhook.ts': ['ReceiverOptions'],
} as const;

const WEBHOOKS = {
  'verify-webhook.ts': ['verify', 'unwrap'],
  'receivers/express.ts': ['createExpressReceiver'],
  'receivers/fastify.ts': ['createFastifyReceiver'],
  'receivers/hono.ts': ['createHonoReceiver'],
  'receivers/next.ts': ['createNextReceiver'],
} as const;

/** The reference of the TypeScript client, from its declarations and comments. */
export function renderTypescriptReference(): string {
  const parts = Object.entries(PARTS).map(([name, [file, maker]]) => {
    const methods = findMethods(file, maker).map(({ name: method, ...rest }) =>
      renderMethod(`${name}.${method}`, rest),
    );
    return `## ${name}\n\n${methods.join('\n\n')}`;
  });
  const webhooks = Object.entries(WEBHOOKS).flatMap(([file, names]) =>
    names.map((name) => renderMethod(`webhooks.${name}`, findFunction(file, name))),
  );
  const types = Object.entries(INTERFACES).flatMap(([file, names]) => names.map((name) => renderInterface(file, name)));
  return `# TypeScript reference

Generated from \`packages/sdk/src\` by \`npm run generate\`. Do not edit.

Every method of \`new Atelier(options)\`. The [guide of the client](../../packages/sdk/README.md) explains files, retries and errors; the types of requests and
responses are the [objects of the API](../api/objects.md).

<!-- tidy-allow-long: generated -->

${parts.join('\n\n')}

## webhooks

Also as \`@atelier/sdk/webhooks\`.

${webhooks.join('\n\n')}

## Options and results

${types.join('\n\n')}
`;
}

interface Signature {
  readonly says: string;
  readonly params: string;
  readonly returns: string;
}

const open = (file: string): ts.SourceFile => {
  const path = resolve(SOURCE, file);
  return ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
};

function renderMethod(name: string, { says, params, returns }: Signature): string {
  const text = `${name}(${params})${returns === '' ? '' : `: ${returns}`}`;
  return `### \`${name}\`\n\n${says === '' ? '' : `${says}\n\n`}\`\`\`text\n${text}\n\`\`\``;
}

/** The methods of the object that a function makes and returns. */
function findMethods(file: string, maker: string): (Signature & { name: string })[] {
  const made = find(
    open(file),
    (node) => ts.isFunctionDeclaration(node) && node.name?.text === maker,
  ) as ts.FunctionDeclaration;
  const objects: ts.ObjectLiteralExpression[] = [];
  for (const statement of made.body?.statements ?? []) {
    const value = ts.isReturnStatement(statement)
      ? statement.expression
      : ts.isVariableStatement(statement)
        ? statement.declarationList.declarations[0]?.initializer
        : undefined;
    if (value !== undefined && ts.isObjectLiteralExpression(value)) objects.push(value);
  }
  const [object] = objects;
  if (object === undefined) throw new Error(`${file}: ${maker} returns no object`);
  return object.properties.flatMap((property) => {
    const method = ts.isMethodDeclaration(property)
      ? property
      : ts.isPropertyAssignment(property) && ts.isArrowFunction(property.initializer)
        ? property.initializer
        : null;
    return method === null ? [] : [{ name: property.name?.getText() ?? '', ...signatureOf(method, property) }];
  });
}

function findFunction(file: string, name: string): Signature {
  const found = find(open(file), (node) => ts.isFunctionDeclaration(node) && node.name?.text === name);
  if (found === undefined) throw new Error(`${file} has no function ${name}`);
  return signatureOf(found as ts.FunctionDeclaration, found);
}

function signatureOf(method: ts.SignatureDeclaration, documented: ts.Node): Signature {
  const params = method.parameters.map((param) => {
    const optional = param.questionToken !== undefined || param.initializer !== undefined;
    const name = ts.isIdentifier(param.name) ? param.name.text : 'options';
    return `${name}${optional ? '?' : ''}: ${param.type?.getText() ?? 'unknown'}`;
  });
  return { says: commentOf(documented), params: params.join(', '), returns: method.type?.getText() ?? '' };
}

function renderInterface(file: string, name: string): string {
  const found = find(open(file), (node) => ts.isInterfaceDeclaration(node) && node.name.text === name);
  if (found === undefined) throw new Error(`${file} has no interface ${name}`);
  const { members, heritageClauses } = found as ts.InterfaceDeclaration;
  const parents = heritageClauses?.flatMap(({ types }) => types.map((type) => `\`${type.getText()}\``)) ?? [];
  const rows = members.map((member) => {
    const says = commentOf(member);
    if (ts.isMethodSignature(member)) {
      const { params, returns } = signatureOf(member, member);
      return [`\`${member.name.getText()}\``, `\`(${params}) => ${returns}\``, says];
    }
    const { name: field, type, questionToken } = member as ts.PropertySignature;
    const text = (type?.getText() ?? '')
      .replaceAll(/\s+/g, ' ')
      .replace(/ \| undefined$/, '')
      .replace(/^\((.*)\)$/, '$1');
    return [`\`${field.getText()}${questionToken === undefined ? '' : '?'}\``, `\`${text}\``, says];
  });
  const table = rows.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`).join('\n');
  const extended = parents.length === 0 ? '' : `Also has the fields of ${parents.join(', ')}.\n\n`;
  return `### \`${name}\`\n\n${extended}| Field | Type | Meaning |\n|---|---|---|\n${table}`;
}

function commentOf(node: ts.Node): string {
  const [doc] = ts.getJSDocCommentsAndTags(node);
  return (ts.getTextOfJSDocComment(doc?.comment as string | undefined) ?? '').replaceAll(/\s+/g, ' ').trim();
}

function find(root: ts.Node, matches: (node: ts.Node) => boolean): ts.Node | undefined {
  let found: ts.Node | undefined;
  const visit = (node: ts.Node): void => {
    if (found !== undefined) return;
    if (matches(node)) found = node;
    else ts.forEachChild(node, visit);
  };
  visit(root);
  return found;
}
