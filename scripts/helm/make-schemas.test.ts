import { Check } from 'typebox/schema';
import { expect, test } from 'vitest';
import { makeSchemas, type OpenApi } from './make-schemas.ts';

const openApi: OpenApi = {
  definitions: {
    Widget: {
      type: 'object',
      required: ['spec'],
      properties: { kind: { type: 'string' }, spec: { $ref: '#/definitions/WidgetSpec' } },
      'x-kubernetes-group-version-kind': [{ group: 'parts.k8s.io', version: 'v1', kind: 'Widget' }],
    },
    WidgetSpec: {
      type: 'object',
      properties: {
        port: { type: 'string', format: 'int-or-string' },
        memory: { $ref: '#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity' },
        labels: { type: 'object', additionalProperties: { type: 'string' } },
        sizes: { type: 'array', items: { type: 'integer' } },
      },
    },
    'io.k8s.apimachinery.pkg.api.resource.Quantity': { type: 'string' },
    Gadget: { 'x-kubernetes-group-version-kind': [{ group: '', version: 'v1', kind: 'Gadget' }] },
  },
};
const schemas = makeSchemas(openApi, ['parts.k8s.io/v1 Widget', 'v1 Gadget']);
const check = (spec: unknown) => Check(schemas.get('widget-parts-v1') as object, { kind: 'Widget', spec });

test('schemas have the names that kubeconform looks for', () => {
  expect([...schemas.keys()]).toEqual(['widget-parts-v1', 'gadget-v1']);
});

test('known properties pass, in every form that the server accepts', () => {
  expect(check({ port: 80, memory: '1Gi', labels: { a: 'b' }, sizes: [1] })).toBe(true);
  expect(check({ port: 'http', memory: 1 })).toBe(true);
});

test.each([
  ['an unknown property', { prot: 80 }],
  ['a wrong type', { sizes: ['1'] }],
  ['a number as a label', { labels: { a: 1 } }],
  ['a missing property', undefined],
])('%s is an error', (_name, spec) => {
  expect(check(spec)).toBe(false);
});

test('a kind that Kubernetes does not have is an error', () => {
  expect(() => makeSchemas(openApi, ['v2 Gadget'])).toThrow('Kubernetes has no v2 Gadget');
});
