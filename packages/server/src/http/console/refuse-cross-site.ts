import { CONSOLE_HEADER } from '@atelier/contract/console';
import type { FastifyRequest } from 'fastify';
import { invalidParams, Problem } from '../../platform/problem.ts';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * A browser sends the session cookie also with requests that another site started. A request that changes something
 * must prove that a page of the console sent it: by its fetch metadata or, where the browser sends none, its origin; and by
 * a header that another origin cannot add without a preflight, which is never answered.
 */
export function refuseCrossSite(request: FastifyRequest, options: { origin: string; takesFiles?: boolean }): void {
  if (SAFE_METHODS.has(request.method)) return;
  const { headers } = request;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') throw crossSite('The request comes from another site.');
  // With fetch metadata the origin is known to be ours; a stated origin must still be it.
  if (headers.origin !== undefined ? headers.origin !== options.origin : site === undefined) {
    throw crossSite(`The Origin header is not that of the console, ${options.origin}.`);
  }
  if (headers[CONSOLE_HEADER.name] !== CONSOLE_HEADER.value) {
    throw crossSite(`The header ${CONSOLE_HEADER.name}: ${CONSOLE_HEADER.value} is missing.`);
  }
  if (options.takesFiles !== true && !/^application\/json\s*(?:;|$)/i.test(headers['content-type'] ?? '')) {
    throw invalidParams('The request is not valid', [{ path: 'Content-Type', message: 'must be application/json' }]);
  }
}

function crossSite(detail: string): Problem {
  return new Problem('cross_site_request', detail);
}
