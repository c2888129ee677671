import type { LinkDisposition } from '../platform/signed-link.ts';
import type { ServedFile } from './served-file.ts';

const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/;
// Types that a browser shows without executing anything. Not SVG, HTML and 3D scenes: they are downloaded.
const SHOWN = /^(?:image\/(?:png|jpeg|webp|gif|avif)|video\/[a-z0-9.+-]+|audio\/[a-z0-9.+-]+)$/;
const SHOWN_TEXT: ReadonlySet<string> = new Set(['text/plain', 'text/vtt', 'application/x-subrip', 'application/json']);
const MAX_FILENAME_CHARS = 120;

const EXPOSED = 'Accept-Ranges, Content-Disposition, Content-Length, Content-Range, ETag, Last-Modified, Retry-After';

/** On every response, also errors: no file may execute, be framed with privileges, or leak its link as a referrer. */
export const SAFETY_HEADERS: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "sandbox; default-src 'none'",
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Referrer-Policy': 'no-referrer',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': EXPOSED,
};

export function contentTypeOf(mimeType: string): string {
  const type = mimeType.toLowerCase();
  if (!MEDIA_TYPE.test(type)) return 'application/octet-stream';
  return type.startsWith('text/') ? `${type}; charset=utf-8` : type;
}

export function contentDispositionOf(file: ServedFile, asked: LinkDisposition): string {
  const type = file.mimeType.toLowerCase();
  const shown = SHOWN.test(type) || SHOWN_TEXT.has(type);
  const disposition = asked === 'inline' && shown ? 'inline' : 'attachment';
  const name = cleanFilename(file.filename);
  const ascii = name.replace(/[^A-Za-z0-9._ ()-]/g, '_');
  const extended = ascii === name ? '' : `; filename*=UTF-8''${encodeExtended(name)}`;
  return `${disposition}; filename="${ascii}"${extended}`;
}

/** No path, no control character, no leading dot; a shortened name keeps its extension. */
function cleanFilename(filename: string): string {
  const name = filename
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .replace(/["\\/:*?<>|%]/g, '_')
    .replace(/^[. ]+|[. ]+$/g, '');
  if (name.length === 0) return 'file';
  if (name.length <= MAX_FILENAME_CHARS) return name;
  const ending = /\.[A-Za-z0-9]{1,8}$/.exec(name)?.[0] ?? '';
  return name.slice(0, MAX_FILENAME_CHARS - ending.length).toWellFormed() + ending;
}

function encodeExtended(name: string): string {
  return encodeURIComponent(name).replace(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
}
