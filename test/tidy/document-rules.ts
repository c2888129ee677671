import { isDeepStrictEqual } from 'node:util';
import { operations, type ProblemCode, problems } from '../../packages/contract/src/index.ts';
import { problemExample } from '../../packages/contract/src/problem-example.ts';
import type { TrackedFile } from './tracked-files.ts';

const PAGE = /^docs\/problems\/([^/]+)\.md$/;

/** A page per problem code, and no page without one. Each shows the status, the title and the example of the contract. */
export function findPageProblems(files: readonly TrackedFile[]): string[] {
  const pages = new Map(
    files.flatMap((file): Array<[string, TrackedFile]> => {
      const code = PAGE.exec(file.path)?.[1];
      return code === undefined || code === 'README' ? [] : [[code, file]];
    }),
  );
  const codes = Object.keys(problems) as ProblemCode[];
  return [
    ...codes.filter((code) => !pages.has(code)).map((code) => `docs/problems/${code}.md: the page is missing`),
    ...[...pages.keys()].filter((code) => !(code in problems)).map((code) => `docs/problems/${code}.md: no such code`),
    ...codes.flatMap((code) => judgePage(code, pages.get(code))),
  ];
}

function judgePage(code: ProblemCode, page: TrackedFile | undefined): string[] {
  if (page === undefined) return [];
  const { status, title } = problems[code];
  const reserved = 'reserved' in problems[code] ? ', reserved: never returned' : '';
  const missing = [
    `# ${code}\n`,
    `\nStatus ${status}${reserved}. ${title}.\n`,
    '\n## Causes\n',
    '\n## What to do\n',
    '\n## Example\n',
  ].filter((part) => !page.text.includes(part));
  const example = /```json\n([\s\S]+?)\n```/.exec(page.text)?.[1];
  const same = example !== undefined && isDeepStrictEqual(JSON.parse(example), problemExample(code));
  return [
    ...missing.map((part) => `${page.path}: missing ${JSON.stringify(part.trim())}`),
    ...(same ? [] : [`${page.path}: the example differs from the contract`]),
  ];
}

/** Every document has exactly one h1. Code fences are not headings. */
export function findHeadingProblems(files: readonly TrackedFile[]): string[] {
  return files
    .filter(({ path }) => /^(docs\/.+|[^/]+)\.md$/.test(path))
    .map(({ path, text }) => ({ path, count: text.replace(/^(```|~~~)[\s\S]*?^\1/gm, '').match(/^# /gm)?.length ?? 0 }))
    .filter(({ count }) => count !== 1)
    .map(({ path, count }) => `${path}: ${count} first-level headings instead of one`);
}

const ROUTES = 'packages/server/src/http/routes';

/** Every operation has a handler in a routes file. */
export function findUnboundOperations(files: readonly TrackedFile[]): string[] {
  const routes = files.filter(({ path }) => path === `${ROUTES}.ts` || path.startsWith(`${ROUTES}/`));
  return Object.keys(operations)
    .filter((id) => !routes.some(({ text }) => new RegExp(`\\b${id}\\b`).test(text)))
    .map((id) => `${ROUTES}.ts: no handler is bound to ${id}`);
}

const LINK = /\]\(([^)\s]+)\)/g;

/** Every relative link points to a file of the repository. */
export function findDeadLinks(files: readonly TrackedFile[]): string[] {
  const paths = new Set(files.map(({ path }) => path));
  const known = (path: string): boolean => paths.has(path) || [...paths].some((each) => each.startsWith(`${path}/`));
  return files
    .filter(({ path }) => path.endsWith('.md'))
    .flatMap(({ path, text }) =>
      [...text.replace(/^(```|~~~)[\s\S]*?^\1/gm, '').matchAll(LINK)]
        .map((match) => match[1]!)
        .filter((link) => !/^([a-z]+:|#|\/)/.test(link))
        .filter((link) => !known(new URL(link, `file:///${path}`).pathname.slice(1).replace(/\/$/, '')))
        .map((link) => `${path}: broken link ${link}`),
    );
}

const CODE = /`([^`\n]+)`/g;
/** A file of the repository, or a folder that ends in a slash. Placeholders such as `<module>` and patterns name no file. */
const NAMED_PATH = /^[\w.@-]+(\/[\w.@-]+)*(\/|\.(ts|sql|md|yaml|mjs))$/;
const PATH_ROOTS = ['', 'packages/server/src/', 'packages/server/', 'packages/'];

/** ARCHITECTURE.md names only files and folders that exist. */
export function findMissingPaths(files: readonly TrackedFile[]): string[] {
  const exists = (path: string) =>
    files.some((file) => (path.endsWith('/') ? file.path.startsWith(path) : file.path === path));
  return files
    .filter(({ path }) => path === 'ARCHITECTURE.md')
    .flatMap(({ path, text }) =>
      [...text.replace(/^```[\s\S]*?^```/gm, '').matchAll(CODE)]
        .map((match) => match[1]!)
        .filter((named) => NAMED_PATH.test(named) && named.includes('/'))
        .filter((named) => !PATH_ROOTS.some((root) => exists(root + named)))
        .map((named) => `${path}: there is no ${named}`),
    );
}
