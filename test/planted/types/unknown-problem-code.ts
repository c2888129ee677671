import { Problem } from '../../../packages/server/src/platform/problem.ts';

export function refuse(): never {
  throw new Problem('no_such_code', 'No table has this code.'); // planted
}
