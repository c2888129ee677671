import { errors } from 'undici';
import { EgressError } from './egress-error.ts';

const TLS_REASONS: Record<string, string> = {
  CERT_HAS_EXPIRED: 'The TLS certificate has expired.',
  CERT_NOT_YET_VALID: 'The TLS certificate is not valid yet.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The TLS certificate is self-signed.',
  SELF_SIGNED_CERT_IN_CHAIN: 'The TLS certificate chain ends in an unknown self-signed certificate.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The TLS certificate chain is incomplete or its issuer is unknown.',
  UNABLE_TO_GET_ISSUER_CERT: 'The TLS certificate chain is incomplete or its issuer is unknown.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'The TLS certificate chain is incomplete or its issuer is unknown.',
  CERT_REVOKED: 'The TLS certificate has been revoked.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The TLS certificate is for a different host name.',
  HOSTNAME_MISMATCH: 'The TLS certificate is for a different host name.',
};

const CONNECT_REASONS: Record<string, string> = {
  ECONNREFUSED: 'The host refused the connection.',
  ECONNRESET: 'The host closed the connection.',
  EHOSTUNREACH: 'The host is unreachable.',
  ENETUNREACH: 'The network of the host is unreachable.',
};

/** A failure before the first byte of the request was sent. */
export function explainConnectError(error: unknown, phase: 'dns' | 'connect' | 'tls'): EgressError {
  const code = codeOf(error);
  if (phase === 'dns') {
    if (code === 'ENOTFOUND' || code === 'ENODATA') return new EgressError('dns', 'The host name does not exist.');
    return new EgressError('dns', 'The host name could not be resolved.');
  }
  if (code === 'ETIMEDOUT') return new EgressError('timeout', 'The host did not accept a connection in time.');
  if (phase === 'connect') {
    return new EgressError('connect', CONNECT_REASONS[code] ?? 'The connection could not be opened.');
  }
  return new EgressError('tls', TLS_REASONS[code] ?? 'The TLS handshake failed.');
}

/** A failure while the request was sent or its headers were awaited. */
export function explainResponseError(error: unknown): EgressError {
  if (error instanceof EgressError) return error;
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : '';
  const isParserError = error instanceof errors.HTTPParserError || code.startsWith('UND_ERR_RES');
  if (isParserError || /^bad (response|upgrade)$/.test(message)) {
    return new EgressError('protocol', 'The response is not valid HTTP/1.1.');
  }
  if (code.startsWith('ERR_SSL')) return new EgressError('tls', 'The TLS connection failed.');
  if (code === 'ETIMEDOUT') return new EgressError('timeout', 'The connection timed out.');
  return new EgressError('reset', 'The host closed the connection before responding.');
}

function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}
