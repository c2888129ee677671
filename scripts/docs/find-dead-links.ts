import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { SITE_PATH } from './pages.ts';

const REFERENCE = /\s(href|src|srcset)="([^"]+)"/g;
const ID = /\sid="([^"]+)"/g;
const HERE = 'site';

/** What the pages of a built site refer to and does not exist: files, pages, anchors. Links may leave the site, files may not. */
export function findDeadLinks(dir: string): string[] {
  const texts = new Map(
    globSync('**/*.html', { cwd: dir }).map((file) => [file, readFileSync(join(dir, file), 'utf8')] as const),
  );
  const ids = new Map([...texts].map(([file, text]) => [file, new Set([...text.matchAll(ID)].map(([, id]) => id))]));
  const judge = (file: string, kind: string, reference: string): string | null => {
    const page = new URL(`http://${HERE}${SITE_PATH}/${file.replace(/index\.html$/, '')}`);
    const url = new URL(reference.replaceAll('&amp;', '&'), page);
    if (url.protocol === 'data:') return null;
    if (url.host !== HERE) return kind === 'href' ? null : `loads ${reference}`;
    if (!url.pathname.startsWith(`${SITE_PATH}/`)) return `leaves the site: ${reference}`;
    const path = decodeURIComponent(url.pathname.slice(SITE_PATH.length + 1));
    const target = path === '' || path.endsWith('/') ? posix.join(path, 'index.html') : path;
    if (!existsSync(join(dir, target))) return `dead link ${reference}`;
    const anchor = decodeURIComponent(url.hash.slice(1));
    return anchor === '' || ids.get(target)?.has(anchor) ? null : `dead anchor ${reference}`;
  };
  return [...texts].flatMap(([file, text]) =>
    [...text.matchAll(REFERENCE)].flatMap(([, kind = '', reference = '']) => {
      const fault = judge(file, kind, reference);
      return fault === null ? [] : [`${file}: ${fault}`];
    }),
  );
}
