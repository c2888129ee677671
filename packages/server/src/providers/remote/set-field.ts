/** Puts a value at a dotted path, making the records on the way. */
export function setField(record: Record<string, unknown>, path: string, value: unknown): void {
  const steps = path.split('.');
  const last = steps.pop() as string;
  let at = record;
  for (const step of steps) {
    const next = Object.hasOwn(at, step) ? at[step] : undefined;
    if (typeof next === 'object' && next !== null) at = next as Record<string, unknown>;
    else {
      const made: Record<string, unknown> = {};
      Object.defineProperty(at, step, { value: made, enumerable: true, writable: true, configurable: true });
      at = made;
    }
  }
  Object.defineProperty(at, last, { value, enumerable: true, writable: true, configurable: true });
}
