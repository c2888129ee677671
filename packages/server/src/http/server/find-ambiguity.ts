import type { IncomingMessage } from 'node:http';

export const MAX_HEADERS = 100;

export interface Ambiguity {
  readonly status: 400 | 417 | 431;
  readonly detail: string;
}

const refused = (status: Ambiguity['status'], detail: string): Ambiguity => ({ status, detail });

/** What makes a request ambiguous between HTTP implementations, or null. Node refuses other cases itself. */
export function findAmbiguity(request: IncomingMessage): Ambiguity | null {
  const { rawHeaders } = request;
  if (request.httpVersionMajor < 1) return refused(400, 'HTTP/0.9 is not supported.');
  if (rawHeaders.length > MAX_HEADERS * 2) return refused(431, `Too many header fields: the limit is ${MAX_HEADERS}.`);
  // Node keeps the first of these and drops the rest. Comparing lengths first avoids most comparisons.
  let hosts = 0;
  let contentTypes = 0;
  let authorizations = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4) hosts += is(name, 'host');
    else if (name.length === 12) contentTypes += is(name, 'content-type');
    else if (name.length === 13) authorizations += is(name, 'authorization');
  }
  if (hosts === 0 && request.httpVersionMinor === 1) return refused(400, 'The Host header is missing.');
  if (hosts > 1) return refused(400, 'Send the Host header only once.');
  if (contentTypes > 1) return refused(400, 'Send the Content-Type header only once.');
  if (authorizations > 1) return refused(400, 'Send the Authorization header only once.');
  const { expect, 'transfer-encoding': coding } = request.headers;
  // For `gzip, chunked` Node removes only the chunks and leaves the body compressed.
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    return refused(400, 'Unsupported transfer coding: only chunked is supported.');
  }
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    return refused(417, 'Unsupported expectation: only 100-continue is supported.');
  }
  return null;
}

function is(name: string, wanted: string): 0 | 1 {
  return name === wanted || name.toLowerCase() === wanted ? 1 : 0;
}
