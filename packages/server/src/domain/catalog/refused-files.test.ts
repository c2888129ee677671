import { expect, test } from 'vitest';
import { change, EFFECTS, errorsOf, MODELS } from './testing/sample-files.ts';

/** error | text of the sample | replacement | line: reason [& line: reason ...]; a reason that ends in ... is a prefix. */
const MODEL_FAULTS = String.raw`
broken YAML | vendor: Nobody | vendor: [Nobody | 3: ...
a key twice | vendor: Nobody | vendor: Nobody\nvendor: Else | 3: Map keys must be unique
two documents | vendor: Nobody | vendor: Nobody\n---\na: 1 | 3: Source contains multiple documents...
an unknown tag | vendor: Nobody | vendor: !env Nobody | 2: Unresolved tag: !env
an alias of nothing | vendor: Nobody | vendor: *nobody | 1: Unresolved alias...
an unknown field of a file | vendor: Nobody | vendor: Nobody\nnote: x | 3: note: is not a known field
an unknown field of a model | displayName: Canvas | displayname: Canvas | 4: models.0: lacks displayName & 5: models.0.displayname: is not a known field
an unknown field of a param | maxLength: 100 | maxLength: 100, max: 3 | 12: models.0.params.0.max: is not a known field
an unknown field of a price | perOutput: 7 | perOutput: 7, perInput: 1 | 17: models.0.price.perInput: is not a known field
an unknown field of a limit | maxInputBytes: 100 | maxInputByte: 100 | 28: models.1.inputLimits.maxInputByte: is not a known field
a param without its bound | maxLength: 100, | | 12: models.0.params.0: lacks maxLength
a param of no kind | kind: text | kind: words | 12: models.0.params.0.kind: must be one of text, enum, range, seed, media, media_list
a model that is a word | routes: [] | routes: []\n  - prompt | 31: models.2: must be object
a param of an unknown name | name: speed | name: sped | 14: models.0.params.2.name: is not a known value
a number without end | max: 1, step | max: .inf, step | 14: models.0.params.2.max: must be number
a step of zero | step: 0.1 | step: 0 | 14: models.0.params.2.step: must be > 0
a step over the whole range | step: 0.1 | step: 5 | 14: models.0.params.2.step: is larger than the whole range & 16: models.0.defaults.speed: must be 0 plus a multiple of 5
an unknown task | image.generate | image.make | 6: models.0.taskType: is not a known value
another modality | workspace: image | workspace: audio | 7: models.0.workspace: must be image or tools for the task image.generate
a param twice | name: speed | name: seed | 14: models.0.params.2.kind: seed must be seed & 15: models.0.params.3.name: seed is described twice & 16: models.0.defaults.speed: is not a param of this model
bounds the wrong way round | min: 0, max: 1 | min: 2, max: 1 | 14: models.0.params.2.min: is above max & 16: models.0.defaults.speed: must be at least 2
lengths the wrong way round | maxLength: 100 | minLength: 101, maxLength: 100 | 12: models.0.params.0.minLength: is above maxLength
items the wrong way round | minItems: 1, maxItems: 3 | minItems: 4, maxItems: 3 | 27: models.1.params.0.minItems: is above maxItems & effects 3: effects.1.input.min: the model painter needs at least 4 & effects 2: effects.0.input.min: the model painter needs at least 4
a seed too large to be exact | max: 10 | max: 1e300 | 15: models.0.params.3.max: is too large to be exact
an enum value twice | [ink, oil] | [ink, oil, ink] | 13: models.0.params.1.values: has a value twice
an enum value that is no value | [ink, oil] | [ink, oil, null] | 13: models.0.params.1.values.2: has the wrong type
a control of another kind | control: slider | control: seed | 14: models.0.params.2.ui.control: must be one of slider, segmented, expand for a param of kind range
a switch of words | control: select | control: switch | 13: models.0.params.1.values: must be booleans for a switch
media of another kind | name: style, kind: enum, required: false, values: [ink, oil] | name: mask, kind: media, required: false, accept: audio | 13: models.0.params.1.ui.control: ... & 13: models.0.params.1.accept: mask must accept image & 16: models.0.defaults.style: is not a param of this model & 17: models.0.price.lines.0.when.style: is not a param of this model
outputs by halves | name: speed | name: num_outputs | 14: models.0.params.2: num_outputs must be whole numbers from 1 to 16 & 16: models.0.defaults.speed: is not a param of this model
an enum default outside its values | style: ink | style: chalk | 16: models.0.defaults.style: must be one of "ink", "oil"
a range default outside its bounds | speed: 0.3 | speed: 1.1 | 16: models.0.defaults.speed: must be at most 1
a range default off its step | speed: 0.3 | speed: 0.35 | 16: models.0.defaults.speed: must be 0 plus a multiple of 0.1
a default of a required param | style: ink, | style: ink, prompt: x, | 16: models.0.defaults.prompt: is required, so it has no default
a default of media | required: true, minItems: 1, maxItems: 3, ui: { control: images, group: inputs, order: 1 } } | required: false, minItems: 1, maxItems: 3, ui: { control: images, group: inputs, order: 1 } }\n    defaults: { images: [] } | 28: models.1.defaults.images: names an upload, so it has no default
a default of no param | style: ink, | style: ink, fps: 3, | 16: models.0.defaults.fps: is not a param of this model
a default of an unknown name | style: ink, | style: ink, stile: ink, | 16: models.0.defaults.stile: is not a known field
a price for no param | when: { style: oil } | when: { fps: 3 } | 17: models.0.price.lines.0.when.fps: is not a param of this model
a price for a value that cannot be | when: { style: oil } | when: { style: [oil, chalk] } | 17: models.0.price.lines.0.when.style: must be one of "ink", "oil"
a price that reads the prompt | when: { style: oil } | when: { prompt: oil } | 17: models.0.price.lines.0.when.prompt: a price may depend on params of kind enum and range only
a negative line | coins: 2, when | coins: -2, when | 17: models.0.price.lines.0.coins: must be > 0
a price without end | perOutput: 7 | perOutput: 1000001 | 17: models.0.price.perOutput: must be <= 1000000
a measure of no param | of: images | of: image | 29: models.1.price.lines.0.of: image is not a param of this model
a measure of nothing | , of: images | | 29: models.1.price.lines.0: lacks of: the param that is measured per megapixel
seconds of pictures | per: megapixel | per: second | 29: models.1.price.lines.0.of: images has no seconds
seconds of a seed | when: { style: oil } | per: second, of: seed | 17: models.0.price.lines.0.of: seed is not a number of seconds
characters of a number | when: { style: oil } | per: thousand_characters, of: speed | 17: models.0.price.lines.0.of: speed is not a text
a measure that can be left out for free | speed: 0.3 }\n    price: { perOutput: 7, lines: [{ label: Oil, coins: 2, when: { style: oil } }] } | seed: 1 }\n    price: { perOutput: 7, lines: [{ label: Oil, coins: 2, per: second, of: speed }] } | 17: models.0.price.lines.0.of: speed must be required or have a default, else leaving it out is free
a table with a row missing | when: { style: oil } | per: megapixel, of: style, megapixels: { ink: 1 } | 17: models.0.price.lines.0.of: megapixels has no row for oil
no table | when: { style: oil } | per: megapixel, of: style | 17: models.0.price.lines.0.of: style needs a table megapixels for each of its values
a minimum of nothing | when: { style: oil } | minimum: 2 | 17: models.0.price.lines.0.minimum: needs a unit to measure: set per
limits of seconds on pictures | maxInputBytes: 100 | maxInputSeconds: 9 | 28: models.1.inputLimits.maxInputSeconds: the model takes neither video nor audio
limits without media | defaults: { style | inputLimits: { maxInputBytes: 1 }\n    defaults: { style | 16: models.0.inputLimits: the model takes no media
a route to the simulator | provider: openai | provider: simulator | 18: models.0.routes.1.provider: must not be the simulator
a route to nobody | { provider: openai } | { engine: onnx } | 18: models.0.routes.1: lacks provider
an expand param without its unit | name: speed, | name: expand_left, | 16: models.0.defaults.speed: is not a param of this model & 4: models.0: lacks expandUnit: pixels or percent, since the model has expand params
a unit without expand params | deadlineSeconds: 60 | expandUnit: pixels\n    deadlineSeconds: 60 | 9: models.0.expandUnit: the model has no expand params
a personal task without consent | image.effect | image.try-on | 25: models.1.consent: must be true for the task image.try-on
an engine that uses likeness without consent | engine: onnx | engine: parallax | 10: models.0.consent: must be true: the engine parallax animates or imitates a face or voice
a deadline of no time | deadlineSeconds: 60 | deadlineSeconds: 0 | 9: models.0.deadlineSeconds: must be >= 1
a sunset too soon | consent: false | deprecation: { deprecatedAt: "2026-01-01T00:00:00Z", sunsetAt: "2026-01-30T00:00:00Z", replacement: painter }\n    consent: false | 10: models.0.deprecation.sunsetAt: must be at least 30 days after deprecatedAt
a sunset that is no moment | consent: false | deprecation: { deprecatedAt: "2026-01-01T00:00:00Z", sunsetAt: soon, replacement: null }\n    consent: false | 10: models.0.deprecation.sunsetAt: must match format "date-time"
a replacement that is not there | consent: false | deprecation: { deprecatedAt: "2026-01-01T00:00:00Z", sunsetAt: "2026-03-01T00:00:00Z", replacement: nobody }\n    consent: false | 10: models.0.deprecation.replacement: there is no model nobody
an id twice | id: painter | id: canvas | 19: models.1.id: canvas is used twice & effects 3: effects.1.modelId: there is no model painter & effects 2: effects.0.modelId: there is no model painter
an id that does not read | id: canvas | id: Canvas 1 | 4: models.0.id: must match pattern "^[a-z0-9][a-z0-9.-]{0,63}$"
an effect that gives too few images | minItems: 1 | minItems: 2 | effects 3: effects.1.input.min: the model painter needs at least 2 & effects 2: effects.0.input.min: the model painter needs at least 2
media that no effect gives | inputLimits: | # and a mask\n      - { name: mask, kind: media, accept: image, required: true, ui: { control: mask, group: inputs, order: 2 } }\n    inputLimits: | effects 3: effects.1.modelId: the model painter needs mask, which no effect gives & effects 2: effects.0.modelId: the model painter needs mask, which no effect gives
`;

const EFFECT_FAULTS = `
an effect on no model | order: 2, modelId: painter | order: 2, modelId: nobody | 2: effects.0.modelId: there is no model nobody
an effect on a model without images | modelId: painter | modelId: canvas | 2: effects.0.input.type: the model canvas has no media param images or image
an effect that wants a video | type: images, min: 1, max: 3 | type: video | 2: effects.0.input.type: the model painter has no media param video
an effect of another kind | kind: image | kind: video | 2: effects.0.kind: must be image, which the model painter makes
more images than the model takes | max: 3 | max: 4 | 2: effects.0.input.max: the model painter takes at most 3
images the wrong way round | min: 1, max: 3 | min: 3, max: 2 | 2: effects.0.input.min: is above max
an input of no type | type: images | type: sound | 2: effects.0.input.type: must be one of images, video
an input without its bound | , max: 3 | | 2: effects.0.input: lacks max
an unknown field of an effect | id: sketch | id: sketch, name: Sketch | 2: effects.0.name: is not a known field
an effect twice | id: glow | id: sketch | 3: effects.1.id: sketch is used twice
a surcharge by halves | surchargeCoins: 4 | surchargeCoins: 0.5 | 3: effects.1.surchargeCoins: must be integer
an id that does not read | id: glow | id: -glow | 3: effects.1.id: must match pattern "^[a-z0-9][a-z0-9-]{0,63}$"
`;

function rows(table: string): [name: string, from: string, to: string, errors: string][] {
  return table
    .trim()
    .split('\n')
    .map((row) => {
      const [name = '', from = '', to = '', errors = ''] = row
        .split('|')
        .map((cell) => cell.trim().replaceAll('\\n', '\n'));
      return [name, from, to, errors];
    });
}

/** `12: reason` is in the file of the folder; `effects 2: reason` names the other. */
function expectErrors(found: readonly string[], errors: string, folder: 'models' | 'effects'): void {
  const files = { models: 'models/studio.yaml', effects: 'effects/all.yaml' };
  const expected = errors.split(' & ').map((each) => {
    const place = each.startsWith('effects ')
      ? each.replace('effects ', `${files.effects}:`)
      : `${files[folder]}:${each}`;
    return place.endsWith('...') ? expect.stringContaining(place.slice(0, -3)) : place;
  });
  expect(found).toEqual(expected);
}

test.each(rows(MODEL_FAULTS))('models: %s', async (_name, from, to, errors) => {
  expectErrors(await errorsOf({ models: change(MODELS, from, to) }), errors, 'models');
});

test.each(rows(EFFECT_FAULTS))('effects: %s', async (_name, from, to, errors) => {
  expectErrors(await errorsOf({ effects: change(EFFECTS, from, to) }), errors, 'effects');
});
