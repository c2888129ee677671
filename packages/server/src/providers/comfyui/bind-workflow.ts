import { ProviderError } from '../provider.ts';
import type { Field } from '../remote/fields/field-map.ts';
import { setField } from '../remote/fields/map-fields.ts';
import type { Graph } from './load-workflow.ts';

/** The stored graph with the values of one request. `nameOf` returns the name of an upload on the server. */
export function bindWorkflow(
  graph: Graph,
  { fields, nameOf }: { fields: readonly Field[]; nameOf: (path: string) => string },
): Graph {
  const bound = structuredClone(graph);
  const used = new Map<readonly string[], number>();
  for (const each of fields) {
    if (!isPlace(bound, each.field))
      throw new ProviderError('unavailable', `The workflow of this model has no field ${each.field}.`);
    if ('value' in each) {
      setField(bound, each.field, each.value);
      continue;
    }
    // The places of a list get its files in order.
    const turn = used.get(each.files) ?? 0;
    used.set(each.files, turn + 1);
    const path = each.files[turn];
    if (path !== undefined) setField(bound, each.field, nameOf(path));
  }
  return bound;
}

/**
 * The graph with unique file names for this run. ComfyUI answers a graph that it has run before from its cache and returns
 * the earlier file, which may have been deleted.
 */
export function nameFiles(graph: Graph, runId: string): Graph {
  const named = structuredClone(graph);
  for (const { inputs } of Object.values(named)) {
    const { filename_prefix: prefix } = inputs;
    if (typeof prefix === 'string') inputs.filename_prefix = `${prefix}-${runId}`;
  }
  return named;
}

export function nodeOf(field: string): string {
  return field.split('.')[0] ?? '';
}

function isPlace(graph: Graph, field: string): boolean {
  const [node, inputs, name] = field.split('.');
  return node !== undefined && Object.hasOwn(graph, node) && inputs === 'inputs' && name !== undefined;
}
