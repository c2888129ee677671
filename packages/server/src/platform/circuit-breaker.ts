export interface CircuitLimits {
  /** Failures in a row after which nothing is sent for a while. */
  readonly failures: number;
  readonly pauseMs: number;
}

export type CircuitState = 'closed' | 'open' | 'half-open';

/** Keeps work away from a backend that does not answer. Pure state: the caller tells it how each call ended. */
export interface Circuit {
  state(): CircuitState;
  /** Whether a call would be let through now. */
  allows(): boolean;
  /** Takes a place for a call; false when it must not be made. After the pause one call goes ahead to try. */
  enter(): boolean;
  succeeded(): void;
  failed(): void;
  /** The call ended without saying anything about the backend. */
  left(): void;
}

export function createCircuit(limits: CircuitLimits, nowMs: () => number = Date.now): Circuit {
  let failures = 0;
  let openUntilMs: number | null = null;
  let trying = false;

  function state(): CircuitState {
    if (openUntilMs === null) return 'closed';
    return nowMs() < openUntilMs ? 'open' : 'half-open';
  }
  return {
    state,
    allows: () => state() === 'closed' || (state() === 'half-open' && !trying),
    enter() {
      const current = state();
      if (current === 'closed') return true;
      if (current === 'open' || trying) return false;
      trying = true;
      return true;
    },
    succeeded() {
      failures = 0;
      openUntilMs = null;
      trying = false;
    },
    failed() {
      failures += 1;
      if (trying || failures >= limits.failures) openUntilMs = nowMs() + limits.pauseMs;
      trying = false;
    },
    left() {
      trying = false;
    },
  };
}
