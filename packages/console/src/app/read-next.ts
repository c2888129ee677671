import { readOwnPath } from '@atelier/contract/console';

/** Only a path of these pages: a link must not lead away after the sign-in. */
export function readNext(search: Record<string, unknown>): { next?: string } {
  const next = readOwnPath(search.next);
  return next === null ? {} : { next };
}
