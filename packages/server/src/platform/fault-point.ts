/**
 * Named points where a test can inject a fault: `FAULT=point:action[:nth]`, separated by commas. Faults are armed only by
 * the configuration reader, and only where they are allowed.
 */
export const FAULT_POINTS = [
  'submit.after-auth',
  'submit.after-limit',
  'submit.before-commit',
  'submit.after-commit-before-answer',
  'cancel.before-commit',
  'cancel.after-commit',
  'take.before-commit',
  'take.after-commit',
  'provider.before-call',
  'provider.after-call-before-record',
  'provider.mid-poll',
  'output.mid-upload',
  'output.after-upload-before-row',
  'settle.before-commit',
  'settle.after-commit',
  'webhook.before-send',
  'webhook.after-send-before-record',
  'webhook.after-record',
  'upload.mid-stream',
  'upload.after-spool',
  'upload.after-probe',
  'upload.after-put-before-row',
  'upload.after-row',
  'sweep.mid-delete',
  'boot.mid-migration',
] as const;
export type FaultPoint = (typeof FAULT_POINTS)[number];

type FaultAction =
  | { readonly kind: 'kill' }
  | { readonly kind: 'throw' }
  | { readonly kind: 'sleep'; readonly ms: number };

interface ArmedFault {
  readonly action: FaultAction;
  /** Triggers on this pass only; 0 triggers on every pass. */
  readonly nth: number;
  passed: number;
}

let armed: Map<string, ArmedFault> | null = null;

export function armFaults(spec: string): void {
  armed = new Map();
  for (const each of spec.split(',').filter(Boolean)) {
    const [point, action, nth] = each.split(':');
    if (point === undefined || !(FAULT_POINTS as readonly string[]).includes(point))
      throw new Error(`unknown fault point ${point}`);
    armed.set(point, { action: parseAction(action ?? 'kill'), nth: Number(nth ?? 1), passed: 0 });
  }
}

function parseAction(text: string): FaultAction {
  if (text === 'kill' || text === 'throw') return { kind: text };
  const ms = /^sleep(\d+)$/.exec(text)?.[1];
  if (ms !== undefined) return { kind: 'sleep', ms: Number(ms) };
  throw new Error(`unknown fault action ${text}`);
}

export async function faultPoint(point: FaultPoint): Promise<void> {
  const fault = armed?.get(point);
  if (fault === undefined) return;
  fault.passed += 1;
  if (fault.nth !== 0 && fault.passed !== fault.nth) return;
  switch (fault.action.kind) {
    case 'kill':
      process.kill(process.pid, 'SIGKILL');
      return new Promise(() => {});
    case 'throw':
      throw new Error(`injected fault at ${point}`);
    case 'sleep': {
      const { ms } = fault.action;
      await new Promise((resolve) => setTimeout(resolve, ms));
    }
  }
}
