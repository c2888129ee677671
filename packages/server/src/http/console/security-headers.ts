const YEAR_SECONDS = 31_536_000;

export interface SecurityOptions {
  /** Public origin of the console. */
  readonly origin: string;
  /** Origins that serve files: the file host, and the bucket if links redirect to it. Text and 3D models are fetched from there. */
  readonly mediaOrigins: readonly string[];
}

/** The headers of every response of the console. No inline script or style, no frame, no other host except for media. */
export function securityHeaders({ origin, mediaOrigins }: SecurityOptions): Record<string, string> {
  const media = mediaOrigins.join(' ');
  const hosts = media === '' ? '' : ` ${media}`;
  return {
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      `connect-src 'self'${hosts}`,
      `img-src 'self'${hosts}`,
      `media-src ${media === '' ? "'none'" : media}`,
      "font-src 'self'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "require-trusted-types-for 'script'",
    ].join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
    ...(origin.startsWith('https:') ? { 'strict-transport-security': `max-age=${YEAR_SECONDS}` } : {}),
  };
}
