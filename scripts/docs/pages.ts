import { globSync, readFileSync } from 'node:fs';
import { join, posix, resolve } from 'node:path';
import { splitFences } from './read-fences.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** Below this path of the API. */
export const SITE_PATH = '/guide';

/** Folders whose documents are pages: their path is the id. */
const FOLDERS = ['docs', 'examples'];
/** Other documents that are pages of the site. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'packages/sdk/README.md': 'clients/typescript',
  'clients/python/README.md': 'clients/python',
  'packages/cli/README.md': 'clients/cli',
  'packages/ai-sdk-provider/README.md': 'clients/ai-sdk',
  'packages/engines/README.md': 'contribute/engines',
  'ARCHITECTURE.md': 'how-it-works/architecture',
  'CONTRIBUTING.md': 'contribute',
  'SECURITY.md': 'contribute/security',
  'CHANGELOG.md': 'changelog',
};

export interface Page {
  /** Where the page is below the site's path: empty for the home page. */
  readonly id: string;
  /** The document, relative to the root of the repository. */
  readonly source: string;
  readonly title: string;
  /** The first sentence or two, as plain text. */
  readonly description: string;
  /** The Markdown without its first heading. */
  readonly body: string;
}

/** Every page of the site. The documents have no front matter: the first heading is the title. */
export function readPages(): Page[] {
  const sources = [
    ...FOLDERS.flatMap((folder) => globSync(`${folder}/**/*.md`, { cwd: ROOT })).filter(isPage),
    ...Object.keys(ELSEWHERE),
  ];
  return sources.toSorted().map((source) => readPage(source, readFileSync(join(ROOT, source), 'utf8')));
}

export function readPage(source: string, text: string): Page {
  const [, title, rest] = /^# (.+)\n([\s\S]*)$/.exec(text) ?? [];
  if (title === undefined) throw new Error(`${source} does not begin with a first-level heading`);
  const body = (rest ?? '').replace(/^\s*Generated from .*Do not edit\.\n/, '').trim();
  return { id: idOf(source), source, title, description: describe(body), body: `${body}\n` };
}

/** The id of a document that is a page. */
export const idOf = (source: string): string =>
  ELSEWHERE[source] ??
  source
    .replace(/^docs\//, '')
    .replace(/(^|\/)README\.md$/, '')
    .replace(/\.md$/, '');

export const isPage = (source: string): boolean =>
  source in ELSEWHERE ||
  (FOLDERS.some((folder) => source.startsWith(`${folder}/`)) &&
    source.endsWith('.md') &&
    !/^docs\/site\/|\/node_modules\//.test(source));

export const urlOf = (id: string): string => (id === '' ? `${SITE_PATH}/` : `${SITE_PATH}/${id}/`);

const DESCRIPTION_LENGTH = 160;

function describe(body: string): string {
  const paragraph = splitFences(body)
    .flatMap((part) => (part.kind === 'prose' ? part.text.split(/\n\s*\n/) : []))
    .map((text) => text.trim())
    .find((text) => /^[A-Z`[*]/.test(text) && !text.startsWith('[!'));
  const plain = (paragraph ?? '')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .replaceAll(/\s+/g, ' ');
  if (plain.length <= DESCRIPTION_LENGTH) return plain;
  const sentence = /^.{40,}?[.:](?=\s)/.exec(plain)?.[0];
  return sentence !== undefined && sentence.length <= DESCRIPTION_LENGTH + 60
    ? sentence.replace(/:$/, '.')
    : `${plain.slice(0, DESCRIPTION_LENGTH).replace(/\s\S*$/, '')} ...`;
}

const LINK = /(?<!!)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g;

/** Points links to documents at their pages. A link to another file of the repository becomes its name: the site has no copy of it. */
export function rewriteLinks(markdown: string, source: string): string {
  return splitFences(markdown)
    .map((part) => (part.kind === 'fence' ? renderFence(part) : part.text.replaceAll(LINK, rewrite)))
    .join('\n');

  function rewrite(whole: string, text: string, target: string): string {
    if (/^([a-z]+:|#|\/)/.test(target)) return whole;
    const [path = '', anchor] = target.split('#', 2);
    const file = posix.normalize(posix.join(posix.dirname(source), path)).replace(/\/$/, '');
    const inner = text.replaceAll(LINK, rewrite);
    if (!isPage(file)) return /^!\[/.test(text) || text.startsWith('`') ? inner : `${inner} (\`${file}\`)`;
    return `[${inner}](${urlOf(idOf(file))}${anchor === undefined ? '' : `#${anchor}`})`;
  }
}

export const renderFence = ({ language, meta, text }: { language: string; meta: string; text: string }): string =>
  `\`\`\`${[language, meta].filter((part) => part !== '').join(' ')}\n${text}\n\`\`\``;
