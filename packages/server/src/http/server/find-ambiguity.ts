import type { IncomingMessage } from 'node:http';

export const MAX_HEADERS = 100;

export interface Ambiguity {
  readonly status: 400 | 417 | 431;
  readonly detail: string;
}

const refused = (status: Ambiguity['status'], detail: string): Ambiguity => ({ status, detail });

/** What makes a request mean two things to two readers, or null. Node itself refuses the rest before this is asked. */
export function findAmbiguity(request: IncomingMessage): Ambiguity | null {
  const { rawHeaders } = request;
  if (request.httpVersionMajor < 1) return refused(400, 'HTTP/0.9 is not spoken here.');
  if (rawHeaders.length > MAX_HEADERS * 2) return refused(431, `There are more than ${MAX_HEADERS} header fields.`);
  // Of these Node keeps the first and drops the rest. Their lengths differ, which spares most comparisons.
  let hosts = 0;
  let contentTypes = 0;
  let authorizations = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4) hosts += is(name, 'host');
    else if (name.length === 12) contentTypes += is(name, 'content-type');
    else if (name.length === 13) authorizations += is(name, 'authorization');
  }
  if (hosts === 0 && request.httpVersionMinor === 1) return refused(400, 'The header Host is missing.');
  if (hosts > 1) return refused(400, 'The header Host may be sent once.');
  if (contentTypes > 1) return refused(400, 'The header Content-Type may be sent once.');
  if (authorizations > 1) return refused(400, 'The header Authorization may be sent once.');
  const { expect, 'transfer-encoding': coding } = request.headers;
  // Node unwraps the chunks of `gzip, chunked` and leaves the rest of the coding in the body.
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    return refused(400, 'The only transfer coding that is understood is chunked.');
  }
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    return refused(417, 'The only expectation that can be met is 100-continue.');
  }
  return null;
}

function is(name: string, wanted: string): 0 | 1 {
  return name === wanted || name.toLowerCase() === wanted ? 1 : 0;
}
