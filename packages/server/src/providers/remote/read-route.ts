import { type CompiledSchema, listSchemaErrors } from '../../platform/schema-errors.ts';
import { ProviderError } from '../provider.ts';
import type { Backend, BackendProvider, Backends } from './backend.ts';

interface Shape<T> extends CompiledSchema {
  Check(value: unknown): value is T;
}

/** A route's settings, checked once per catalog. */
export function createRouteReader<T extends { readonly backend: string }>(options: {
  shape: Shape<T>;
  backends: Backends;
  providers: readonly BackendProvider[];
}) {
  const known = new WeakMap<object, T | string>();

  function judge(settings: Readonly<Record<string, unknown>>): T | string {
    let judged = known.get(settings);
    if (judged === undefined) {
      judged = options.shape.Check(settings) ? settings : describeFirstError(options.shape, settings);
      known.set(settings, judged);
    }
    return judged;
  }
  function find(name: string): Backend | undefined {
    return options.backends.find({ name, providers: options.providers });
  }
  return {
    /** Whether the route can be used now: it is valid, and its backend is known and answers. */
    serves(settings: Readonly<Record<string, unknown>>): boolean {
      const route = judge(settings);
      return typeof route !== 'string' && (find(route.backend)?.circuit.allows() ?? false);
    },
    read(settings: Readonly<Record<string, unknown>>): { route: T; backend: Backend } {
      const route = judge(settings);
      if (typeof route === 'string')
        throw new ProviderError('unavailable', `The route of this model is invalid: ${route}.`);
      return { route, backend: this.backend(route.backend) };
    },
    backend(name: string): Backend {
      const backend = find(name);
      if (backend === undefined) throw new ProviderError('unavailable', 'The backend of this model is not configured.');
      return backend;
    },
  };
}

function describeFirstError(shape: CompiledSchema, settings: unknown): string {
  const [first] = listSchemaErrors(shape, settings);
  return `${first?.path.join('.') || 'settings'} ${first?.message ?? 'cannot be read'}`;
}
