/** A bounded number at once; the others wait in order, until their signal ends the wait. */
export interface Places {
  take(signal: AbortSignal): Promise<() => void>;
}

export function createPlaces(count: number): Places {
  let free = count;
  const waiting = new Set<() => void>();

  function give(): void {
    const [next] = waiting;
    if (next === undefined) free += 1;
    else {
      waiting.delete(next);
      next();
    }
  }
  function release(): () => void {
    let held = true;
    return () => {
      if (held) give();
      held = false;
    };
  }
  return {
    async take(signal) {
      signal.throwIfAborted();
      if (free > 0) {
        free -= 1;
        return release();
      }
      await new Promise<void>((enter, refuse) => {
        const quit = () => {
          waiting.delete(admit);
          refuse(signal.reason);
        };
        const admit = () => {
          signal.removeEventListener('abort', quit);
          enter();
        };
        waiting.add(admit);
        signal.addEventListener('abort', quit, { once: true });
      });
      return release();
    },
  };
}
