import type { IncomingHttpHeaders } from 'node:http';
import { parseHttpDate } from './parse-http-date.ts';
import { parseRange } from './parse-range.ts';

export type FileAnswer =
  | { readonly status: 200 | 304 | 412 | 416 }
  | { readonly status: 206; readonly start: number; readonly end: number };

/** Whether the headers need the date of the object, which only the store knows. */
export function asksForDate(headers: IncomingHttpHeaders): boolean {
  const ifRange = ifRangeOf(headers);
  return (
    (headers['if-modified-since'] !== undefined && headers['if-none-match'] === undefined) ||
    (headers['if-unmodified-since'] !== undefined && headers['if-match'] === undefined) ||
    (headers.range !== undefined && ifRange !== undefined && !isETag(ifRange))
  );
}

/** Checks the conditions in the order of RFC 9110 13.2.2. Ranges apply to GET only. */
export function decideFileAnswer(options: {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: number;
  readonly etag: string;
  /** Needed only when the headers compare it. */
  readonly lastModified: Date | null;
}): FileAnswer {
  const { method, headers, bytes, etag } = options;
  const lastModifiedSeconds = options.lastModified === null ? null : Math.floor(options.lastModified.getTime() / 1000);

  if (headers['if-match'] !== undefined) {
    if (!matches({ list: headers['if-match'], etag, weakly: false })) return { status: 412 };
  } else if (headers['if-unmodified-since'] !== undefined && lastModifiedSeconds !== null) {
    const since = parseHttpDate(headers['if-unmodified-since']);
    if (since !== null && since < lastModifiedSeconds) return { status: 412 };
  }

  if (headers['if-none-match'] !== undefined) {
    if (matches({ list: headers['if-none-match'], etag, weakly: true })) return { status: 304 };
  } else if (headers['if-modified-since'] !== undefined && lastModifiedSeconds !== null) {
    const since = parseHttpDate(headers['if-modified-since']);
    if (since !== null && since >= lastModifiedSeconds) return { status: 304 };
  }

  if (method !== 'GET' || headers.range === undefined) return { status: 200 };
  if (!isSameObject({ ifRange: ifRangeOf(headers), etag, lastModifiedSeconds })) return { status: 200 };
  const range = parseRange(headers.range, bytes);
  if (range.kind === 'part') return { status: 206, start: range.start, end: range.end };
  return { status: range.kind === 'whole' ? 200 : 416 };
}

function isSameObject(options: {
  ifRange: string | undefined;
  etag: string;
  lastModifiedSeconds: number | null;
}): boolean {
  const { ifRange, etag, lastModifiedSeconds } = options;
  if (ifRange === undefined) return true;
  if (isETag(ifRange)) return ifRange === etag;
  return lastModifiedSeconds !== null && parseHttpDate(ifRange) === lastModifiedSeconds;
}

function ifRangeOf(headers: IncomingHttpHeaders): string | undefined {
  const value = headers['if-range'];
  return Array.isArray(value) ? value.join(', ') : value;
}

function isETag(validator: string): boolean {
  return validator.endsWith('"');
}

function matches({ list, etag, weakly }: { list: string; etag: string; weakly: boolean }): boolean {
  if (list.trim() === '*') return true;
  return list.split(',').some((entry) => {
    const candidate = entry.trim();
    return candidate === etag || (weakly && candidate === `W/${etag}`);
  });
}
