import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ParamDescriptor, ParamValues } from '@atelier/contract';
import { describe, expect, test } from 'vitest';
import type { CatalogModel, Route } from '../../domain/catalog/catalog.ts';
import { loadCatalog } from '../../domain/catalog/load-catalog.ts';
import { cogRouteShape } from '../cog/route.ts';
import { bindWorkflow } from '../comfyui/bind-workflow.ts';
import { loadWorkflow } from '../comfyui/load-workflow.ts';
import { comfyUiRouteShape } from '../comfyui/route.ts';
import { dressFields } from '../openai/dress-fields.ts';
import { openAiRouteShape, operationOf } from '../openai/route.ts';
import { DIALECTS } from './backend.ts';
import type { FieldMap } from './fields/field-map.ts';
import { mapFields } from './fields/map-fields.ts';
import { readBackends } from './read-backends.ts';

const dir = join(import.meta.dirname, '../../../../../catalog');
const shapes = { openai: openAiRouteShape, comfyui: comfyUiRouteShape, cog: cogRouteShape };
type RemoteProvider = keyof typeof shapes;

const catalog = await loadCatalog(dir);
const remote = [...catalog.models.values()].flatMap((model) =>
  model.routes.filter(({ provider }) => provider in shapes).map((route) => [model.entry.id, route, model] as const),
);

function fieldMapOf({ settings }: Route): FieldMap {
  const { bind, ...rest } = settings;
  return (bind === undefined ? rest : { ...rest, map: bind }) as FieldMap;
}

/** A possible request with every param set. */
function sampleOf({ entry }: CatalogModel): { params: ParamValues; inputs: Record<string, string[]> } {
  const params: Record<string, unknown> = { ...entry.defaults };
  const inputs: Record<string, string[]> = {};
  for (const each of entry.params) {
    if (each.kind === 'text') params[each.name] = each.required ? 'words' : '';
    else if (each.kind === 'seed') params[each.name] = 7;
    else if (each.kind === 'media') params[each.name] = each.name;
    else if (each.kind === 'media_list') params[each.name] = [each.name];
    if (each.kind === 'media' || each.kind === 'media_list') inputs[each.name] = [`/${each.name}`];
  }
  return { params: params as ParamValues, inputs };
}

/** Whether the customer's choice reaches the backend. */
function isHeard(descriptor: ParamDescriptor, route: Route): boolean {
  const { map = {}, lookups = [], accepts = {} } = fieldMapOf(route);
  const { name } = descriptor;
  return (
    name in map ||
    name in accepts ||
    lookups.some(({ by }) => by.includes(name)) ||
    String(route.settings.output ?? '').includes(`$${name}`) ||
    // A deterministic model ignores the seed; a single value is no choice.
    name === 'seed' ||
    (descriptor.kind === 'enum' && descriptor.values.length === 1)
  );
}

test('the catalog has remote routes', () => {
  expect(remote.length).toBeGreaterThan(25);
});

describe.each(remote)('%s', (_id, route, model) => {
  const provider = route.provider as RemoteProvider;

  test(`its ${provider} route is valid, and maps every param and no other`, () => {
    expect(shapes[provider].Errors(route.settings)).toEqual([]);
    const names = new Set<string>(model.entry.params.map(({ name }) => name));
    const { map = {}, lookups = [], accepts = {} } = fieldMapOf(route);
    const named = [...Object.keys(map), ...lookups.flatMap(({ by }) => by), ...Object.keys(accepts)];
    expect(named.filter((name) => !names.has(name))).toEqual([]);
    expect(model.entry.params.filter((each) => !isHeard(each, route)).map(({ name }) => name)).toEqual([]);
  });

  test('every lookup value is a choice of its params', () => {
    for (const { by, values } of fieldMapOf(route).lookups ?? []) {
      const choices = by.map((name) => model.entry.params.find((each) => each.name === name));
      const words = choices.map((each) => (each?.kind === 'enum' ? each.values.map(String) : []));
      const all = words.reduce<string[]>(
        (done, next) => done.flatMap((left) => next.map((right) => `${left}${left && ' '}${right}`)),
        [''],
      );
      expect(Object.keys(values).filter((each) => !all.includes(each))).toEqual([]);
    }
  });

  test('a request is mapped to fields of the backend', async () => {
    const { params, inputs } = sampleOf(model);
    const job = { generationId: 'g', params, inputs, effectSettings: {} };
    const fields = mapFields(fieldMapOf(route), { job, index: 0 });
    expect(fields.length).toBeGreaterThan(0);
    if (provider === 'comfyui') {
      const graph = await loadWorkflow({ dir, file: String(route.settings.workflow) });
      const bound = bindWorkflow(graph, { fields, nameOf: (path) => path });
      expect(Object.keys(bound)).toEqual(Object.keys(graph));
      for (const { field } of fields) {
        const [node = '', , name = ''] = field.split('.');
        expect(Object.keys(graph[node]?.inputs ?? {}), 'the graph has the input already').toContain(name);
      }
    }
    if (provider === 'openai') {
      const operation = operationOf({ backend: '', ...route.settings }, model.entry.taskType);
      for (const dialect of DIALECTS)
        expect(dressFields(fields, { dialect, operation, model: undefined }).length).toBeGreaterThan(0);
    }
  });
});

test('every link of every workflow refers to an existing node', async () => {
  for (const file of new Set(
    remote.flatMap(([, { settings }]) => (settings.workflow === undefined ? [] : [String(settings.workflow)])),
  )) {
    const graph = await loadWorkflow({ dir, file });
    for (const { inputs } of Object.values(graph)) {
      for (const value of Object.values(inputs))
        if (Array.isArray(value)) expect(Object.keys(graph)).toContain(value[0]);
    }
  }
});

test('the example backends file in the documentation is valid, and has every backend that the catalog names', () => {
  const page = readFileSync(join(dir, '../docs/operate/backends.md'), 'utf8');
  const [, sample = ''] = /```yaml\n(backends:[\s\S]*?)```/.exec(page) ?? [];
  const backends = readBackends(sample, () => 'a-secret');
  for (const [, { provider, settings }] of remote) {
    const providers = provider === 'cog' ? (['cog', 'replicate'] as const) : ([provider] as ['openai' | 'comfyui']);
    expect(backends.find({ name: String(settings.backend), providers }), String(settings.backend)).toBeDefined();
  }
});
