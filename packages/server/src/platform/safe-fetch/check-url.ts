import { isIP } from 'node:net';
import { type AddressPolicy, createAddressPolicy, isPublicAddress } from './address-policy.ts';

const MAX_URL_LENGTH = 2048;
const MAX_HOSTNAME_LENGTH = 253;

export interface EndpointUrlRules {
  /** Sandbox: plain http and any port. */
  allowHttp?: boolean;
  /** Operator exceptions: literal addresses inside them, and names of the internal network, are accepted. */
  allowCidrs?: readonly string[];
  /** `host` or `host:port`. A bare host also refuses every name below it. */
  ownHosts?: readonly string[];
}

export type EndpointUrlCheck = { ok: true; url: string } | { ok: false; reason: string };

const HOST_LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

// Names that never resolve on the public internet: RFC 6761, RFC 6762, RFC 8375, RFC 9476, ICANN .internal, common use.
const INTERNAL_SUFFIXES = [
  'localhost',
  'local',
  'internal',
  'intranet',
  'private',
  'corp',
  'home',
  'lan',
  'localdomain',
  'arpa',
  'test',
  'example',
  'invalid',
  'alt',
  'onion',
];

// Every delivery passes the same list, and parsing it costs more than the rest of the check.
const policies = new WeakMap<readonly string[], AddressPolicy>();

/** Checks an endpoint URL without DNS. Its addresses are checked on connect. */
export function checkEndpointUrl(raw: string, rules: EndpointUrlRules = {}): EndpointUrlCheck {
  if (raw.length > MAX_URL_LENGTH) return refuse(`The URL must be at most ${MAX_URL_LENGTH} characters.`);
  // The URL parser drops tabs and newlines and reads a backslash as a slash: the shown URL would not be the one called.
  if (/[\u0000-\u0020\u007f-\u00a0\\]/.test(raw))
    return refuse('The URL must not contain spaces, control characters or backslashes.');
  const scheme = /^(https?):\/\//i.exec(raw)?.[1]?.toLowerCase();
  if (scheme !== 'https' && !(scheme === 'http' && rules.allowHttp)) return refuse('The URL must start with https://.');
  if (raw.includes('#')) return refuse('The URL must not contain a fragment (#).');
  if (authorityOf(raw).includes('@')) return refuse('The URL must not contain a user name or password.');

  const url = URL.parse(raw);
  if (url === null) return refuse('Invalid URL.');
  if (url.href.length > MAX_URL_LENGTH) return refuse(`The URL must be at most ${MAX_URL_LENGTH} characters.`);

  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  const reason = isIP(hostname) === 0 ? checkName(hostname, rules) : checkLiteral(hostname, rules);
  if (reason !== null) return refuse(reason);
  if (url.port !== '' && !isAnyPortAllowed(hostname, rules)) return refuse('The URL must use the default port.');
  if (isOwnHost(url, rules.ownHosts ?? [])) return refuse('The URL must not point to this service.');
  return { ok: true, url: url.href };
}

function checkLiteral(ip: string, rules: EndpointUrlRules): string | null {
  if (isExcepted(ip, rules)) return null;
  return 'The host must be a domain name, not an IP address.';
}

function checkName(hostname: string, rules: EndpointUrlRules): string | null {
  if (hostname.endsWith('.')) return 'The host must not end with a dot.';
  const labels = hostname.split('.');
  if (hostname.length > MAX_HOSTNAME_LENGTH || !labels.every((label) => HOST_LABEL.test(label))) {
    return 'The host is not a valid domain name.';
  }
  if (isInternalName(labels) && !hasExceptions(rules)) return 'The host is not a public domain name.';
  return null;
}

function isInternalName(labels: readonly string[]): boolean {
  return labels.length === 1 || INTERNAL_SUFFIXES.includes(labels.at(-1) ?? '');
}

function isAnyPortAllowed(hostname: string, rules: EndpointUrlRules): boolean {
  if (rules.allowHttp) return true;
  return isIP(hostname) === 0 ? isInternalName(hostname.split('.')) : isExcepted(hostname, rules);
}

function isExcepted(ip: string, rules: EndpointUrlRules): boolean {
  // A public literal is always refused: only the ranges the operator configured are exceptions.
  if (rules.allowCidrs === undefined || isPublicAddress(ip)) return false;
  let policy = policies.get(rules.allowCidrs);
  if (policy === undefined) {
    policy = createAddressPolicy({ allowCidrs: rules.allowCidrs });
    policies.set(rules.allowCidrs, policy);
  }
  return policy.isAllowed(ip);
}

function hasExceptions(rules: EndpointUrlRules): boolean {
  return (rules.allowCidrs?.length ?? 0) > 0;
}

function isOwnHost(url: URL, ownHosts: readonly string[]): boolean {
  return ownHosts.some((entry) => {
    const own = URL.parse(`${url.protocol}//${entry}`);
    if (own === null) throw new Error(`invalid host: ${entry}`);
    if (/:\d+$/.test(entry)) return own.host === url.host;
    return url.hostname === own.hostname || url.hostname.endsWith(`.${own.hostname}`);
  });
}

function authorityOf(raw: string): string {
  return raw.slice(raw.indexOf('//') + 2).split(/[/?]/, 1)[0] ?? '';
}

function refuse(reason: string): EndpointUrlCheck {
  return { ok: false, reason };
}
