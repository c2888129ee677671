import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RouteError } from '../provider.ts';
import { asRecord } from '../remote/explain-answer.ts';
import { targetsOf } from '../remote/fields/field-map.ts';
import { comfyUiRouteShape } from './route.ts';

/** Names in a route that its graph does not have. */
export function findWorkflowErrors(settings: Readonly<Record<string, unknown>>, dir: string): RouteError[] {
  if (!comfyUiRouteShape.Check(settings)) return [];
  const path = join(dir, settings.workflow);
  if (!existsSync(path)) return [{ path: ['workflow'], reason: `there is no file ${settings.workflow}` }];
  let graph: Record<string, unknown>;
  try {
    graph = asRecord(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return [{ path: ['workflow'], reason: `${settings.workflow} is not JSON` }];
  }
  const nodes = Object.keys(graph);
  if (nodes.length === 0 || nodes.some((node) => typeof asRecord(graph[node]).class_type !== 'string'))
    return [{ path: ['workflow'], reason: `${settings.workflow} is not in the API format` }];

  const judge = (field: string): string | null => {
    const [node = '', word, name = ''] = field.split('.');
    if (!Object.hasOwn(graph, node)) return `the workflow has no node ${node}; it has ${nodes.join(', ')}`;
    const inputs = Object.keys(asRecord(asRecord(graph[node]).inputs));
    const isPlace = word === 'inputs' && inputs.includes(name);
    return isPlace
      ? null
      : `node ${node} has no place ${field}; it has ${inputs.map((each) => `${node}.inputs.${each}`).join(', ')}`;
  };
  const { bind = {}, lookups = [], constants = {}, outputs = [] } = settings;
  const places: { field: string; at: RouteError['path'] }[] = [
    ...Object.keys(bind).flatMap((param) =>
      targetsOf(bind, param).map(({ field }) => ({ field, at: ['bind', param] })),
    ),
    ...lookups.map(({ field }, index) => ({ field, at: ['lookups', index, 'field'] })),
    ...Object.keys(constants).map((field) => ({ field, at: ['constants', field] })),
  ];
  const errors: RouteError[] = [];
  for (const { field, at } of places) {
    const reason = judge(field);
    if (reason !== null) errors.push({ path: at, reason });
  }
  for (const node of outputs)
    if (!nodes.includes(node))
      errors.push({ path: ['outputs'], reason: `the workflow has no node ${node}; it has ${nodes.join(', ')}` });
  return errors;
}
