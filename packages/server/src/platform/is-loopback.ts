const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** Whether a URL reaches only programs on the same machine. */
export function isLoopback(url: string): boolean {
  return URL.canParse(url) && LOOPBACK.has(new URL(url).hostname);
}
