import { type ParamDescriptor, type ParamValue, UI_CONTROLS } from '@atelier/contract';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, test } from 'vitest';
import { loadModels } from '../../../../testing/load-models.ts';
import { de } from '../../../text/de.ts';
import { en } from '../../../text/en.ts';
import { TextContext } from '../../../text/use-text.ts';
import { FormFields } from '../form-fields.tsx';
import { describeForm, startValues, type Target } from '../form-state.ts';
import { choicesOf, labelOf, labelOfVoice, shapeOf } from './choice-controls.tsx';
import { FormContext } from './control.ts';
import { createFrame, outwards, toAllowed } from './expand-frame.ts';
import { drawStrokes, maskSize, toMaskPoint } from './mask-strokes.ts';
import { readSeed } from './number-controls.tsx';

const { models, effects } = await loadModels();

function render(target: Target, options: { text?: typeof en; given?: Record<string, ParamValue> } = {}): string {
  const scope = {
    accountId: 'a',
    descriptors: describeForm(target),
    values: { ...startValues(target), ...options.given },
    maxInputBytes: null,
    setValue: () => undefined,
    setUploading: () => undefined,
  };
  const fields = createElement(FormFields, { errors: new Map() });
  const form = createElement(FormContext, { value: scope }, fields);
  const worded = createElement(TextContext, { value: options.text ?? en }, form);
  return renderToStaticMarkup(createElement(QueryClientProvider, { client: new QueryClient() }, worded));
}

/** What stands for a param in the form: its label, or the title of the field of which it is a part. */
const labelIn = (text: typeof en, { name }: ParamDescriptor) => text.playground.params[name];

describe.each(models)('the form of $id', (model) => {
  test('has a field for every param, in English and German', () => {
    for (const text of [en, de]) {
      const markup = render({ model, effect: null }, { text });
      for (const descriptor of model.params) expect(markup).toContain(labelIn(text, descriptor));
    }
  });

  test('offers every value, and shows the default as chosen', () => {
    const markup = render({ model, effect: null });
    for (const descriptor of model.params) {
      if (descriptor.kind !== 'enum' || descriptor.ui.control === 'switch') continue;
      const { control } = descriptor.ui;
      const options = control === 'aspect' || control === 'segmented' ? /type="radio"/g : /<option/g;
      expect(markup.match(options)?.length ?? 0).toBeGreaterThanOrEqual(descriptor.values.length);
      const fallback = model.defaults[descriptor.name];
      if (fallback !== undefined) expect(markup).toMatch(/checked=""|selected=""/);
    }
  });
});

test('every effect has a form with its input', () => {
  expect(effects.length).toBeGreaterThan(30);
  for (const effect of effects) {
    const model = models.find(({ id }) => id === effect.modelId)!;
    const markup = render({ model, effect });
    expect(markup, effect.id).toContain('type="file"');
    expect(markup).toContain(en.playground.params.prompt);
  }
});

const media = (name: 'image' | 'video' | 'audio' | 'mask', control: 'image' | 'video' | 'audio' | 'mask') => ({
  name,
  kind: 'media' as const,
  accept: control === 'mask' ? ('image' as const) : control,
  ui: { control, group: 'inputs' as const, order: 1 },
});
const words = (control: 'prompt' | 'textarea' | 'script' | 'lyrics' | 'tags') => ({
  name: 'text' as const,
  kind: 'text' as const,
  maxLength: 9,
  ui: { control, group: 'prompt' as const, order: 1 },
});
const choice = (control: 'aspect' | 'segmented' | 'select' | 'switch' | 'voice' | 'language' | 'effect') => ({
  name: 'style' as const,
  kind: 'enum' as const,
  values: control === 'switch' ? [true, false] : ['1:1', 'de', 'af_heart'],
  ui: { control, group: 'basic' as const, order: 1 },
});
const range = (control: 'slider' | 'segmented' | 'expand') => ({
  name: control === 'expand' ? ('expand_left' as const) : ('duration' as const),
  kind: 'range' as const,
  min: 1,
  max: 3,
  step: 1,
  ui: { control, group: 'basic' as const, order: 1 },
});

/** Every control with every kind that the catalog allows for it. */
const PAIRS: readonly Omit<ParamDescriptor, 'required'>[] = [
  ...(['prompt', 'textarea', 'script', 'lyrics', 'tags'] as const).map(words),
  ...(['aspect', 'segmented', 'select', 'switch', 'voice', 'language', 'effect'] as const).map(choice),
  ...(['slider', 'segmented', 'expand'] as const).map(range),
  { name: 'seed', kind: 'seed', max: 9, ui: { control: 'seed', group: 'advanced', order: 1 } } as never,
  media('image', 'image'),
  media('video', 'video'),
  media('audio', 'audio'),
  media('mask', 'mask'),
  {
    name: 'images',
    kind: 'media_list',
    accept: 'image',
    minItems: 0,
    maxItems: 2,
    ui: { control: 'images', group: 'inputs', order: 1 },
  } as never,
];

test('every control of the contract is rendered', () => {
  expect(new Set(PAIRS.map(({ ui }) => ui.control))).toEqual(new Set(UI_CONTROLS));
  for (const pair of PAIRS) {
    const descriptor = { ...pair, required: false } as ParamDescriptor;
    const model = { ...models[0]!, params: [descriptor], defaults: {} };
    const markup = render({ model, effect: null });
    expect(markup, descriptor.ui.control).toMatch(/<(input|textarea|select)/);
  }
});

test('what the catalog uses today are kinds and controls of that list', () => {
  const known = new Set(
    PAIRS.map(({ kind, ui }: { kind?: string; ui: { control: string } }) => `${kind} ${ui.control}`),
  );
  const used = models.flatMap(({ params }) => params.map(({ kind, ui }) => `${kind} ${ui.control}`));
  expect([...new Set(used)].filter((pair) => !known.has(pair))).toEqual([]);
});

test('a script in a default, a value or a prompt is text', () => {
  const hostile = '<script>alert(1)</script><img src=x onerror=alert(1)>';
  const model = {
    ...models[0]!,
    params: [
      { ...words('prompt'), required: false },
      { ...choice('select'), values: [hostile], required: false },
    ],
  };
  const markup = render({ model: model as never, effect: null }, { given: { text: hostile } });
  expect(markup).not.toMatch(/<script|<img/);
});

test('values are named for people', () => {
  expect(['coloured-pencil', '1k', '16:9', 'af_heart'].map(labelOf)).toEqual([
    'Coloured pencil',
    '1k',
    '16:9',
    'Af heart',
  ]);
  expect(['af_heart', 'alba'].map(labelOfVoice)).toEqual(['Heart (af_heart)', 'Alba']);
  expect(choicesOf({ ...range('segmented'), min: 0.5, max: 1, step: 0.1, required: false })).toEqual([
    0.5, 0.6, 0.7, 0.8, 0.9, 1,
  ]);
});

test('a ratio is drawn in its own proportions', () => {
  expect(shapeOf('2:1')).toEqual({ x: 2, y: 7, width: 20, height: 10 });
  expect(shapeOf('auto')).toBeNull();
  expect(shapeOf('0:1')).toBeNull();
});

test('a seed is a number or nothing', () => {
  expect(['', ' 8 ', '0'].map(readSeed)).toEqual([undefined, 8, 0]);
  expect(readSeed('8a')).toBeNaN();
});

test('a mask has the size of its picture, up to what a canvas holds', () => {
  expect(maskSize({ width: 640, height: 427 })).toEqual({ width: 640, height: 427 });
  const large = maskSize({ width: 16_000, height: 4_000 });
  expect(large.width * large.height).toBeLessThanOrEqual(16_000_000);
  expect(large.width / large.height).toBeCloseTo(4, 1);
  const shown = { left: 10, top: 20, width: 320, height: 200 };
  const point = toMaskPoint({ pointer: { clientX: 170, clientY: 120 }, shown, mask: { width: 640, height: 400 } });
  expect(point).toEqual({ x: 320, y: 200 });
});

test('a stroke of one point is drawn as a dot', () => {
  const calls: string[] = [];
  const context = {
    beginPath: () => calls.push('begin'),
    moveTo: (x: number, y: number) => calls.push(`move ${x} ${y}`),
    lineTo: (x: number, y: number) => calls.push(`line ${x} ${y}`),
    stroke: () => calls.push('stroke'),
    lineWidth: 0,
    lineCap: 'butt' as CanvasLineCap,
    lineJoin: 'miter' as CanvasLineJoin,
    strokeStyle: '',
  };
  drawStrokes(context, [{ width: 8, points: [{ x: 1, y: 2 }] }]);
  expect(calls).toEqual(['begin', 'move 1 2', 'line 1 2', 'stroke']);
  expect([context.lineWidth, context.lineCap]).toEqual([8, 'round']);
});

test('a handle moves a side outwards, in percent or pixels, within its range', () => {
  const percent = { ...range('expand'), min: 0, max: 25, required: false };
  expect(createFrame([percent], { width: 640, height: 400 }).perValue('left')).toBe(6.4);
  expect(createFrame([percent], { width: 640, height: 400 }).perValue('top')).toBe(4);
  expect(createFrame([{ ...percent, max: 512 }], null).perValue('left')).toBe(1);
  expect(outwards('left', { x: -12, y: 3 })).toBe(12);
  expect(outwards('bottom', { x: -12, y: 3 })).toBe(3);
  expect([-4, 11.6, 90].map((value) => toAllowed(percent, value))).toEqual([0, 12, 25]);
});
