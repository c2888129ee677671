const BASE = 'https://pages.invalid';

/**
 * The path that a browser opens for a return address, or null if that is not a path of the same host. The browser resolves `..` and `.`
 * first, and a path that then begins with two slashes names another host.
 */
export function readOwnPath(text: unknown): string | null {
  if (typeof text !== 'string' || !text.startsWith('/') || !URL.canParse(text, BASE)) return null;
  const { origin, pathname, search, hash } = new URL(text, BASE);
  return origin === BASE && !pathname.startsWith('//') ? `${pathname}${search}${hash}` : null;
}
