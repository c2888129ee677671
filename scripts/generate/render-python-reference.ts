import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const SOURCE = resolve(import.meta.dirname, '../../clients/python/src/atelier_client');
const CLASS = /^class (\w+)[^\n]*:\n(?: {4}"""([\s\S]*?)"""\n)?/gm;
/** Methods without a leading underscore. The formatter of the client puts one argument on a line if they do not fit on one. */
const METHOD = /^ {4}def ((?!_)\w+)\(([\s\S]*?)\) -> ([^\n]+):\n(?: {8}"""([\s\S]*?)"""\n)?/gm;
const FUNCTION = /^def ((?!_)\w+)\(([\s\S]*?)\) -> ([^\n]+):\n(?: {4}"""([\s\S]*?)"""\n)?/gm;

const PARTS = ['models', 'effects', 'quotes', 'generations', 'uploads', 'assets', 'account', 'events'];

interface Part {
  readonly name: string;
  readonly says: string;
  readonly text: string;
}

/** The reference of the Python client, from its declarations and docstrings. */
export function renderPythonReference(): string {
  const classes = splitClasses(readFileSync(resolve(SOURCE, '_client.py'), 'utf8'));
  const outputs = splitClasses(readFileSync(resolve(SOURCE, '_output.py'), 'utf8'));
  const webhooks = readFileSync(resolve(SOURCE, 'webhooks.py'), 'utf8');
  const client = need(classes, 'Atelier');
  const parts = PARTS.map((name) => {
    const part = need(classes, `${name[0]?.toUpperCase()}${name.slice(1)}`);
    return `## ${name}\n\n${part.says}\n\n${renderMethods(`client.${name}`, part.text, METHOD)}`;
  });
  return `# Python reference

Generated from \`clients/python/src\` by \`npm run generate\`. Do not edit.

Every method of \`Atelier\`. \`AsyncAtelier\` has the same, to be awaited. The [guide of the client](../../clients/python/README.md) explains files, retries and errors;
the types of requests and responses are the [objects of the API](../api/objects.md) with names in the style of Python.

<!-- tidy-allow-long: generated -->

## Atelier

${client.says}

${renderMethods('Atelier', client.text.replace('def __init__(\n        self,', 'def new('), METHOD)
  .replace('`Atelier.new`', '`Atelier`')
  .replace(/Atelier\.new\(([\s\S]*?)\) -> None/, 'Atelier($1)')}

${parts.join('\n\n')}

## Output

${renderMethods('output', need(outputs, 'Output').text, METHOD)}

## webhooks

${renderMethods('webhooks', webhooks, FUNCTION)}
`;
}

function splitClasses(source: string): Part[] {
  const starts = [...source.matchAll(CLASS)];
  return starts.map((match, n) => ({
    name: match[1] as string,
    says: paragraph(match[2]),
    text: source.slice(match.index, starts[n + 1]?.index),
  }));
}

function need(parts: readonly Part[], name: string): Part {
  const part = parts.find((each) => each.name === name);
  if (part === undefined) throw new Error(`the Python client has no class ${name}`);
  return part;
}

function renderMethods(owner: string, text: string, pattern: RegExp): string {
  return [...text.matchAll(pattern)]
    .map(([, name, args, returns, says]) => {
      const given = (args as string)
        .split(/,\s*(?![^[]*\])/)
        .map((arg) => arg.trim())
        .filter((arg) => arg !== '' && arg !== 'self');
      const call = `${owner}.${name}(${given.join(', ')}) -> ${returns}`;
      const shown =
        call.length <= 100 ? call : `${owner}.${name}(\n${given.map((arg) => `    ${arg},\n`).join('')}) -> ${returns}`;
      return `### \`${owner}.${name}\`\n\n${says === undefined ? '' : `${paragraph(says)}\n\n`}\`\`\`text\n${shown}\n\`\`\``;
    })
    .join('\n\n');
}

const paragraph = (text = ''): string =>
  text
    .split(/\n\s*\n/)
    .map((part) => part.replaceAll(/\s+/g, ' ').trim())
    .join('\n\n');
