export interface CircuitBreakerLimits {
  /** Consecutive failures after which no call is made for `pauseMs`. */
  readonly failures: number;
  readonly pauseMs: number;
}

export type CircuitState = 'closed' | 'open' | 'half-open';

/** Stops calls to a dependency that does not answer. It holds only state: the caller reports how each call ended. */
export interface CircuitBreaker {
  state(): CircuitState;
  /** Whether `enter` would allow a call. */
  allows(): boolean;
  /** Asks to make a call; false when it must not be made. After the pause one call at a time is allowed as a trial. */
  enter(): boolean;
  succeeded(): void;
  failed(): void;
  /** The call ended without saying anything about the dependency. */
  left(): void;
}

export function createCircuitBreaker(limits: CircuitBreakerLimits, nowMs: () => number = Date.now): CircuitBreaker {
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
