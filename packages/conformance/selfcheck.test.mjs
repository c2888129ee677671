// The kit's own validators and files: valid data passes, each invalid member is detected. Needs no server.

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { accepted, clips, clipTooLong, clipTooWide, invalid, png, sniff, wav } from './media.mjs';
import * as schema from './schema.mjs';
import { signatureFault } from './signature.mjs';

const at = '2026-01-31T23:59:59.123Z';
const asset = {
  id: 'a_B-9',
  kind: 'image',
  url: 'u',
  thumbnailUrl: 't',
  posterUrl: null,
  mimeType: 'image/png',
  width: 1,
  height: 1,
  durationSeconds: null,
};
const generation = {
  id: 'g',
  modelId: 'm',
  modelName: 'M',
  taskType: 'image.generate',
  modality: 'image',
  workspace: 'image',
  effect: null,
  status: 'succeeded',
  progress: 1,
  queuePosition: null,
  params: { prompt: 'x', images: ['a'], seed: 1, pbr: true },
  coinsQuoted: 4,
  coinsCharged: 4,
  outputs: [asset],
  outputsRequested: 1,
  error: null,
  projectId: null,
  createdAt: at,
  startedAt: '2026-01-31T23:59:59+02:00',
  completedAt: at,
};
const concurrency = { limit: 4, raisedLimit: null, running: 0, queued: 0 };
const ui = { control: 'select', group: 'basic', order: 1 };
const descriptor = (name, kind, more) => ({ name, required: false, ui, kind, ...more });
const entry = {
  id: 'm',
  listingId: 'l',
  taskType: '3d.from-text',
  modality: '3d',
  workspace: '3d',
  vendor: 'v',
  displayName: 'd',
  defaults: { num_outputs: 1 },
  priceFromCoins: null,
  params: [
    descriptor('prompt', 'text', { maxLength: 9, minLength: 1 }),
    descriptor('fps', 'enum', { values: [24, '30', true] }),
    descriptor('speed', 'range', { min: 0, max: 1, step: 0.1 }),
    descriptor('seed', 'seed', { max: 9 }),
    descriptor('image', 'media', { accept: 'image' }),
    descriptor('images', 'media_list', { accept: 'image', minItems: 0, maxItems: 3 }),
  ],
  inputLimits: { maxInputSeconds: 30 },
};
const problem = {
  type: 'about:blank',
  title: 'T',
  status: 400,
  detail: '',
  code: 'invalid_params',
  instance: 'i',
  issues: [{ path: 'p', message: 'm' }],
};
const account = {
  balance: { available: -5, held: 0 },
  concurrency,
  rateLimits: { key: { limit: 120, windowSeconds: 60 }, account: { limit: 300, windowSeconds: 60 } },
  channel: 'api',
  key: {
    id: '018f0000-0000-7000-8000-000000000000',
    name: 'n',
    scopes: ['read'],
    monthlySpendCapCoins: null,
    spentThisMonthCoins: 0,
    expiresAt: null,
  },
};
const effect = {
  id: 'oil-paint',
  kind: 'image',
  category: 'style',
  nameKey: 'k',
  thumbnail: null,
  input: { type: 'images', min: 1, max: 2 },
  modelId: 'm',
};

// name, validator, a valid value, and members (dotted) with values that must be refused; undefined removes the member
const CASES = [
  [
    'Asset',
    schema.asset,
    asset,
    {
      id: [undefined, '', 'a b', 'a'.repeat(129), 7],
      kind: ['', null],
      url: ['', null],
      thumbnailUrl: ['', undefined],
      posterUrl: [undefined, 1],
      mimeType: [null],
      width: [0, -1, 1.5, '1', undefined],
      height: [0, undefined],
      durationSeconds: [0, '1', undefined],
      waveformUrl: [1],
      transparent: [null, 'no'],
      downloads: [
        [{ format: 'obj', url: 'u', bytes: 0 }],
        [{ format: 7, url: 'u', bytes: 1 }],
        [{ format: 'obj', bytes: 1 }],
        {},
      ],
      stem: [7],
      subtitles: [{ srtUrl: 's' }],
    },
  ],
  [
    'Generation',
    schema.generation,
    generation,
    {
      ...Object.fromEntries(Object.keys(generation).map((name) => [name, [undefined]])),
      status: [null, ''],
      progress: [1.1, -0.1, '1'],
      queuePosition: [0, 1.5],
      params: [{ prompt: {} }, { images: [1] }, [], null],
      coinsQuoted: [0, 1.5],
      coinsCharged: [-1],
      outputs: [[{}], null],
      outputsRequested: [0],
      error: [{}, { code: null }, 'x'],
      effect: [{ id: 'e' }, { text: null }],
      projectId: [''],
      createdAt: ['2026-02-30T00:00:00Z', '2026-01-01', '2026-01-01T00:00:00', 1, null],
      startedAt: ['soon'],
      taskType: [7],
      modality: [null],
      workspace: [''],
      id: [''],
    },
  ],
  [
    'GenerationPage',
    schema.generationPage,
    { items: [generation], nextCursor: null },
    { items: [undefined, [{}], null], nextCursor: [undefined, '', 7] },
  ],
  [
    'QuoteResponse',
    schema.quoteResponse,
    { modelId: 'm', coins: 2, coinsPerOutput: 1, outputs: 2, quoteToken: 'q', expiresAt: at, availableCoins: 0 },
    {
      modelId: [undefined, 1],
      coins: [0, 1.5, '2'],
      coinsPerOutput: [0],
      outputs: [0],
      quoteToken: ['', undefined],
      expiresAt: [null, 'x'],
      availableCoins: [-1],
    },
  ],
  [
    'Concurrency',
    schema.concurrency,
    concurrency,
    { limit: [0, null], raisedLimit: [0, undefined], running: [-1], queued: [-1, undefined] },
  ],
  [
    'catalog entry',
    schema.catalogEntry,
    entry,
    {
      id: [undefined],
      listingId: [undefined],
      vendor: [null],
      displayName: [undefined],
      taskType: [7],
      modality: [null],
      workspace: [''],
      defaults: [{ prompt: null }, undefined],
      priceFromCoins: [0, undefined],
      inputLimits: [{ maxInputSeconds: 0 }, { maxInputBytes: '1' }, null],
      params: [
        ...[
          ['text', {}],
          ['text', { maxLength: 0 }],
          ['text', { maxLength: 5, minLength: 0 }],
          ['enum', { values: [] }],
          ['enum', { values: [null] }],
          ['enum', {}],
          ['range', { min: 0, max: 1 }],
          ['range', { min: 0, max: 1, step: 0 }],
          ['range', { min: '0', max: 1, step: 1 }],
          ['seed', {}],
          ['seed', { max: 0 }],
          ['media', { accept: 3 }],
          ['media', {}],
          ['media_list', { accept: null, minItems: 0, maxItems: 1 }],
          ['media_list', { accept: 'image', maxItems: 1 }],
          ['media_list', { accept: 'image', minItems: -1, maxItems: 1 }],
          [null, {}],
        ].map(([kind, more]) => [descriptor('prompt', kind, more)]),
        [{ ...entry.params[0], name: '' }],
        [{ ...entry.params[0], required: 1 }],
        [{ ...entry.params[0], ui: { ...ui, control: 1 } }],
        [{ ...entry.params[0], ui: { ...ui, group: null } }],
        [{ ...entry.params[0], ui: { ...ui, order: 0.5 } }],
        [{ ...entry.params[0], ui: undefined }],
      ],
    },
  ],
  [
    'Effect',
    schema.effect,
    effect,
    {
      id: ['Oil', '-a', 'a'.repeat(65)],
      kind: [''],
      category: [null],
      nameKey: [''],
      thumbnail: [undefined],
      modelId: [undefined],
      input: [{ type: 'images', min: 0, max: 1 }, { type: 'images', min: 1 }, { type: '' }, null],
    },
  ],
  [
    'PublicAccount',
    schema.publicAccount,
    account,
    {
      balance: [{ available: 1 }, { available: 0.5, held: 0 }, { available: 1, held: -1 }],
      concurrency: [{}, undefined],
      channel: [null],
      rateLimits: [{ key: account.rateLimits.key }, { ...account.rateLimits, key: { limit: 0, windowSeconds: 60 } }],
      key: [
        undefined,
        { ...account.key, id: 'x' },
        { ...account.key, scopes: [null] },
        { ...account.key, monthlySpendCapCoins: 0 },
        { ...account.key, spentThisMonthCoins: -1 },
        { ...account.key, expiresAt: 'never' },
      ],
    },
  ],
  [
    'WebhookEvent',
    schema.webhookEvent,
    { id: 'e', type: 'generation.failed', createdAt: at, data: { generation } },
    { id: ['', undefined], type: ['', null], createdAt: ['x'], data: [{}, { generation: {} }, undefined] },
  ],
  [
    'Problem',
    schema.problem,
    problem,
    {
      type: ['', undefined],
      title: ['', undefined],
      status: [399, 600, '400'],
      detail: [null, undefined],
      code: [undefined, ''],
      instance: [1],
      issues: [[{ path: 'p' }], {}],
    },
  ],
];
for (const [name, validator, good, bad] of CASES) {
  test(`selfcheck: ${name}: valid data passes, also with unknown members`, () => {
    assert.deepEqual(schema.violations(validator, good), []);
    assert.deepEqual(schema.violations(validator, { ...good, somethingNew: { x: 1 } }), []);
  });
  test(`selfcheck: ${name}: each invalid member is detected`, () => {
    for (const [member, values] of Object.entries(bad)) {
      for (const value of values) {
        const spoilt = { ...good, [member]: value };
        if (value === undefined) delete spoilt[member];
        assert.notDeepEqual(
          schema.violations(validator, spoilt),
          [],
          `${name}.${member} = ${JSON.stringify(value)} passed`,
        );
      }
    }
    for (const value of [null, [], 'x', 7, undefined]) assert.notDeepEqual(schema.violations(validator, value), []);
  });
}
test('selfcheck: a null key of an account, a video effect and an account in debt pass', () => {
  assert.deepEqual(schema.violations(schema.publicAccount, { ...account, key: null }), []);
  assert.deepEqual(schema.violations(schema.effect, { ...effect, input: { type: 'video' } }), []);
});
// Versioning 2: new enumerated values may appear
for (const [name, validator, good, member, value] of [
  ['a status', schema.generation, generation, 'status', 'paused'],
  ['a task type', schema.generation, generation, 'taskType', 'image.magic'],
  ['a failure code', schema.generation, { ...generation, status: 'failed' }, 'error', { code: 'too_busy' }],
  ['a param name', schema.generation, generation, 'params', { guidance: 1 }],
  ['a kind of asset', schema.asset, asset, 'kind', 'scene'],
  ['a download format', schema.asset, asset, 'downloads', [{ format: 'glb', url: 'u', bytes: 1 }]],
  ['a stem', schema.asset, asset, 'stem', 'guitar'],
  ['a kind of param', schema.catalogEntry, entry, 'params', [descriptor('prompt', 'colour', {})]],
  ['a control', schema.catalogEntry, entry, 'params', [{ ...entry.params[0], ui: { ...ui, control: 'dial' } }]],
  ['an effect input', schema.effect, effect, 'input', { type: 'audio' }],
  ['a scope', schema.publicAccount, account, 'key', { ...account.key, scopes: ['read', 'admin'] }],
  ['a channel', schema.publicAccount, account, 'channel', 'cli'],
  ['an event type', schema.webhookEvent, { id: 'e', createdAt: at, data: {} }, 'type', 'account.low_balance'],
]) {
  test(`selfcheck: ${name} that the specification does not list passes and is noted`, () => {
    schema.newValues.clear();
    assert.deepEqual(schema.violations(validator, { ...good, [member]: value }), []);
    assert.equal(schema.newValues.size, 1);
  });
}
test('selfcheck: listed values are not noted', () => {
  schema.newValues.clear();
  for (const [, validator, good] of CASES) schema.violations(validator, good);
  assert.equal(schema.newValues.size, 0);
});
test('selfcheck: a known code with the status of another is detected, a new code is not', () => {
  assert.ok(schema.mayHaveStatus('not_found', 404) && schema.mayHaveStatus('link_expired', 403));
  assert.ok(!schema.mayHaveStatus('not_found', 403) && !schema.mayHaveStatus('upload_invalid', 400));
});

// Events, "Signature verification" 2 to 4
const raw = Buffer.from('{"id":"e"}');
const secret = 'whsec_one';
const sign = (key) => createHmac('sha256', key).update('1700000000.').update(raw).digest('hex');
const fault = (header, more = {}) => signatureFault({ header, raw, secret, nowMs: 1_700_000_000_000, ...more });
for (const [title, header] of [
  ['one v1', `t=1700000000,v1=${sign(secret)}`],
  ['the match first of several v1', `t=1700000000,v1=${sign(secret)},v1=${sign('whsec_two')}`],
  ['the match last of several v1', `t=1700000000,v1=${sign('whsec_two')},v1=${sign('whsec_three')},v1=${sign(secret)}`],
  ['a part of a later scheme', `t=1700000000,v1=${sign(secret)},v2=abc`],
]) {
  test(`selfcheck: a signature with ${title} is accepted`, () => assert.equal(fault(header), null));
}
for (const [title, header, reason] of [
  ['several v1 of other secrets', `t=1700000000,v1=${sign('whsec_two')},v1=${sign('whsec_three')}`, /no v1 matches/],
  ['one malformed v1 among several', `t=1700000000,v1=${sign(secret)},v1=ABC`, /64 lowercase hex/],
  ['no v1', 't=1700000000', /no v1/],
  ['two t', `t=1700000000,t=1700000000,v1=${sign(secret)}`, /1-12 digits, once/],
  ['a t of 13 digits', `t=1700000000000,v1=${sign(secret)}`, /1-12 digits, once/],
]) {
  test(`selfcheck: a signature with ${title} is refused`, () => assert.match(fault(header), reason));
}
test('selfcheck: a signature is valid for 300 seconds in both directions', () => {
  const header = `t=1700000000,v1=${sign(secret)}`;
  for (const seconds of [-300, 300]) assert.equal(fault(header, { nowMs: 1000 * (1_700_000_000 + seconds) }), null);
  for (const seconds of [-301, 301])
    assert.match(fault(header, { nowMs: 1000 * (1_700_000_000 + seconds) }), /300 seconds/);
});

test('selfcheck: the lists of the specification are complete', () => {
  assert.deepEqual(
    [schema.PARAM_NAMES, schema.TASK_TYPES, schema.UI_CONTROLS].map((each) => new Set(each).size),
    [41, 38, 20],
  );
});
test('selfcheck: every file has the stated type', () => {
  for (const file of [...accepted, ...clips, clipTooLong, clipTooWide]) {
    assert.equal(sniff(file.bytes), file.type, file.filename);
    if (!['image/png', 'audio/wav'].includes(file.type)) assert.ok(file.bytes.length < 20_000, file.filename);
  }
  for (const file of invalid) assert.ok(file.bytes.length > 0 && sniff(file.bytes) === null, file.title);
  assert.equal(new Set(accepted.map((each) => each.type)).size, 10);
  assert.equal(png({ width: 7, height: 5 }).readUInt32BE(16), 7);
  assert.equal(wav({ seconds: 2, rate: 1000 }).length, 2044);
});
