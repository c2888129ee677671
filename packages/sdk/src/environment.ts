/** The environment of Node, Deno and Bun. Browsers have none. */
export function readEnvironment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name] || undefined;
}

/** A module of Node, without an import that would break bundles for browsers. */
export function findNodeModule<T>(name: string): T {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => T | undefined } };
  const found = process?.getBuiltinModule?.(`node:${name}`);
  if (found === undefined) throw new TypeError(`This runtime has no module node:${name}`);
  return found;
}

export function isBrowser(): boolean {
  return typeof (globalThis as { document?: unknown }).document === 'object';
}
