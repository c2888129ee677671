/**
 * Runs the work once for all concurrent callers, who share the run in progress and its result for `lifeMs` after it
 * ended. A failed run is not cached.
 */
export function shareResult<T>(lifeMs: number, work: () => Promise<T>): () => Promise<T> {
  let shared: Promise<T> | null = null;
  return () => {
    if (shared !== null) return shared;
    const run = work();
    shared = run;
    const forget = () => {
      if (shared === run) shared = null;
    };
    run.then(() => setTimeout(forget, lifeMs).unref(), forget);
    return run;
  };
}
