import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../services/state.ts';

/** What black-box tests can ask of a sandbox (packages/conformance/README.md). */
const ACTIONS = [
  'setMaintenance',
  'setChannel',
  'setModel',
  'setServed',
  'setPrice',
  'adjustCoins',
  'addEndpoint',
  'rotateSecret',
  'removeEndpoint',
  'signIn',
  'advanceClock',
] as const;
export type OperatorAction = (typeof ACTIONS)[number];

export interface Operator {
  readonly command: readonly string[];
  readonly actions: readonly OperatorAction[];
}

/** The program that operates the sandbox of this record. Its clock can be advanced only with `--clock`. */
export function describeOperator({ record, clock }: { record: string; clock: boolean }): Operator {
  return {
    command: [process.execPath, join(REPOSITORY_ROOT, 'scripts/operate-sandbox.ts'), record],
    actions: ACTIONS.filter((action) => clock || action !== 'advanceClock'),
  };
}
