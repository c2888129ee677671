/**
 * Runs the work once for everybody who asks: callers share the run that is under way, and its result for `lifeMs` after
 * it ended. A run that fails is not kept.
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
