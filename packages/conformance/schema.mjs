// Structural validators for every resource of the specification ("Resources and their fields").
// Strict on required members, types, bounds, patterns and date-times. Responses may grow (Versioning 2): unknown members are ignored, and
// enumerated values that the specification does not list are noted.
// A validator is a function (value, path, errors) that appends messages to errors.
import assert from 'node:assert/strict';

import {
  EVENT_TYPES,
  FAILURE_CODES,
  MODALITIES,
  PARAM_NAMES,
  SCOPES,
  STATUSES,
  TASK_TYPES,
  UI_CONTROLS,
  UI_GROUPS,
  WORKSPACES,
} from './values.mjs';

export * from './values.mjs';

const show = (value) => {
  const text = JSON.stringify(value);
  return text === undefined ? String(value) : text.length > 120 ? `${text.slice(0, 120)}...` : text;
};
const fail = (errors, path, expected, value) => {
  errors.push(`${path}: expected ${expected}, got ${show(value)}`);
};

export const string =
  ({ min = 0, max = Infinity, pattern } = {}) =>
  (value, path, errors) => {
    if (typeof value !== 'string') return fail(errors, path, 'a string', value);
    if (value.length < min) fail(errors, path, `at least ${min} characters`, value);
    if (value.length > max) fail(errors, path, `at most ${max} characters`, value);
    if (pattern && !pattern.test(value)) fail(errors, path, `a match of ${pattern}`, value);
  };
export const number =
  ({ min = -Infinity, max = Infinity, above = -Infinity } = {}) =>
  (value, path, errors) => {
    if (typeof value !== 'number' || !Number.isFinite(value)) return fail(errors, path, 'a number', value);
    if (value < min) fail(errors, path, `>= ${min}`, value);
    if (value > max) fail(errors, path, `<= ${max}`, value);
    if (value <= above) fail(errors, path, `> ${above}`, value);
  };
export const integer =
  (bounds = {}) =>
  (value, path, errors) => {
    if (!Number.isSafeInteger(value)) return fail(errors, path, 'an integer', value);
    number(bounds)(value, path, errors);
  };
export const boolean = (value, path, errors) => {
  if (typeof value !== 'boolean') fail(errors, path, 'a boolean', value);
};
/** Enumerated values of responses that the specification does not list, by member. */
export const newValues = new Map();
function note(path, value) {
  const member = path
    .split('.')
    .at(-1)
    .replace(/\[\d+\]$/, '');
  newValues.set(member, (newValues.get(member) ?? new Set()).add(value));
}
/** One of the listed values, or a new one. */
export const oneOf = (values) => (value, path, errors) => {
  if (typeof value !== 'string' || value === '') fail(errors, path, `one of ${values.join(', ')}`, value);
  else if (!values.includes(value)) note(path, value);
};
export const nullable = (inner) => (value, path, errors) => {
  if (value !== null) inner(value, path, errors);
};
export const array =
  (item, { min = 0 } = {}) =>
  (value, path, errors) => {
    if (!Array.isArray(value)) return fail(errors, path, 'an array', value);
    if (value.length < min) fail(errors, path, `at least ${min} items`, value);
    for (const [index, each] of value.entries()) item(each, `${path}[${index}]`, errors);
  };
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
export const object =
  (required, optional = {}) =>
  (value, path, errors) => {
    if (!isObject(value)) return fail(errors, path, 'an object', value);
    for (const [name, inner] of Object.entries(required)) {
      if (!Object.hasOwn(value, name)) errors.push(`${path}.${name}: required member is absent`);
      else inner(value[name], `${path}.${name}`, errors);
    }
    for (const [name, inner] of Object.entries(optional)) {
      if (Object.hasOwn(value, name)) inner(value[name], `${path}.${name}`, errors);
    }
  };

const DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;
export const dateTime = (value, path, errors) => {
  const parts = typeof value === 'string' ? DATE_TIME.exec(value) : null;
  if (!parts) return fail(errors, path, 'an RFC 3339 date-time', value);
  const [year, month, day] = parts.slice(1, 4).map(Number);
  if (month < 1 || month > 12 || day < 1 || day > new Date(Date.UTC(year, month, 0)).getUTCDate())
    fail(errors, path, 'a day of the calendar', value);
};
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
export const uuid = string({ pattern: UUID });

const positive = integer({ above: 0 });
const natural = integer({ min: 0 });
const text = string();
const nonEmpty = string({ min: 1 });
const effectId = string({ pattern: /^[a-z0-9][a-z0-9-]{0,63}$/ });

// Param names: "Value of each param: a string, a number, a boolean, or an array of strings."
const paramValue = (value, path, errors) => {
  if (['string', 'boolean'].includes(typeof value)) return;
  if (typeof value === 'number' && Number.isFinite(value)) return;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return;
  fail(errors, path, 'a string, a number, a boolean or an array of strings', value);
};
export const params = (value, path, errors) => {
  if (!isObject(value)) return fail(errors, path, 'an object', value);
  for (const [name, each] of Object.entries(value)) {
    if (!PARAM_NAMES.includes(name)) note(path, name);
    paramValue(each, `${path}.${name}`, errors);
  }
};

export const asset = object(
  {
    id: string({ min: 1, max: 128, pattern: /^[A-Za-z0-9_-]+$/ }),
    kind: oneOf(['image', 'video', 'audio', '3d', 'text']),
    url: nonEmpty,
    thumbnailUrl: nonEmpty,
    posterUrl: nullable(text),
    mimeType: text,
    width: nullable(positive),
    height: nullable(positive),
    durationSeconds: nullable(number({ above: 0 })),
  },
  {
    waveformUrl: nullable(text),
    transparent: boolean,
    downloads: array(object({ format: oneOf(['obj', 'fbx', 'usdz', 'stl']), url: text, bytes: positive })),
    stem: nullable(oneOf(['vocals', 'drums', 'bass', 'other'])),
    subtitles: nullable(object({ srtUrl: text, vttUrl: text })),
  },
);

export const generation = object({
  id: nonEmpty,
  modelId: text,
  modelName: text,
  taskType: oneOf(TASK_TYPES),
  modality: oneOf(MODALITIES),
  workspace: oneOf(WORKSPACES),
  effect: nullable(object({ id: text, text: nullable(text) })),
  status: oneOf(STATUSES),
  progress: nullable(number({ min: 0, max: 1 })),
  queuePosition: nullable(positive),
  params,
  coinsQuoted: positive,
  coinsCharged: nullable(natural),
  outputs: array(asset),
  outputsRequested: positive,
  error: nullable(object({ code: oneOf(FAILURE_CODES) })),
  projectId: nullable(nonEmpty),
  createdAt: dateTime,
  startedAt: nullable(dateTime),
  completedAt: nullable(dateTime),
});

/** The members of a Generation that the specification names; a server may add others. */
export const GENERATION_MEMBERS = [
  'id',
  'modelId',
  'modelName',
  'taskType',
  'modality',
  'workspace',
  'effect',
  'status',
  'progress',
  'queuePosition',
  'params',
  'coinsQuoted',
  'coinsCharged',
  'outputs',
  'outputsRequested',
  'error',
  'projectId',
  'createdAt',
  'startedAt',
  'completedAt',
];

export const generationPage = object({ items: array(generation), nextCursor: nullable(nonEmpty) });

export const quoteResponse = object({
  modelId: text,
  coins: positive,
  coinsPerOutput: positive,
  outputs: positive,
  quoteToken: nullable(nonEmpty),
  expiresAt: dateTime,
  availableCoins: natural,
});

export const concurrency = object({
  limit: positive,
  raisedLimit: nullable(positive),
  running: natural,
  queued: natural,
});

const descriptorKinds = {
  text: object({ maxLength: positive }, { minLength: positive }),
  enum: object({
    values: array(
      (value, path, errors) => {
        if (!['string', 'number', 'boolean'].includes(typeof value))
          fail(errors, path, 'a string, number or boolean', value);
      },
      { min: 1 },
    ),
  }),
  range: object({ min: number(), max: number(), step: number({ above: 0 }) }),
  seed: object({ max: positive }),
  media: object({ accept: oneOf(['image', 'audio', 'video']) }),
  media_list: object({ accept: oneOf(['image']), minItems: natural, maxItems: positive }),
};
const descriptorCommon = object({
  name: oneOf(PARAM_NAMES),
  required: boolean,
  ui: object({ control: oneOf(UI_CONTROLS), group: oneOf(UI_GROUPS), order: integer() }),
  kind: oneOf(Object.keys(descriptorKinds)),
});
export const paramDescriptor = (value, path, errors) => {
  descriptorCommon(value, path, errors);
  if (!isObject(value)) return;
  if (Object.hasOwn(descriptorKinds, value.kind)) descriptorKinds[value.kind](value, path, errors);
};

export const catalogEntry = object(
  {
    id: text,
    listingId: text,
    taskType: oneOf(TASK_TYPES),
    modality: oneOf(MODALITIES),
    workspace: oneOf(WORKSPACES),
    vendor: text,
    displayName: text,
    params: array(paramDescriptor),
    defaults: params,
    priceFromCoins: nullable(positive),
  },
  {
    inputLimits: object(
      {},
      {
        maxOutputPixels: positive,
        maxOutputSide: positive,
        minInputSeconds: positive,
        maxInputSeconds: positive,
        maxInputBytes: positive,
      },
    ),
  },
);
export const modelsResponse = object({ models: array(catalogEntry) });

const effectInput = (value, path, errors) => {
  object({ type: oneOf(['images', 'video']) })(value, path, errors);
  if (value?.type === 'images') object({ min: positive, max: positive })(value, path, errors);
};
export const effect = object({
  id: effectId,
  kind: oneOf(['image', 'video']),
  category: oneOf(['style', 'template']),
  nameKey: nonEmpty,
  thumbnail: nullable(text),
  input: effectInput,
  modelId: text,
});
export const effectsResponse = object({ effects: array(effect) });

const rateLimit = object({ limit: positive, windowSeconds: positive });
export const publicAccount = object({
  balance: object({ available: integer(), held: natural }),
  concurrency,
  rateLimits: object({ key: rateLimit, account: rateLimit }),
  key: nullable(
    object({
      id: uuid,
      name: text,
      scopes: array(oneOf(SCOPES)),
      monthlySpendCapCoins: nullable(positive),
      spentThisMonthCoins: natural,
      expiresAt: nullable(dateTime),
    }),
  ),
  channel: oneOf(['web', 'api', 'mcp']),
});

const event = object({ id: nonEmpty, type: oneOf(EVENT_TYPES), createdAt: dateTime, data: object({}) });
/** An event of a new type may have other data. */
export const webhookEvent = (value, path, errors) => {
  event(value, path, errors);
  if (isObject(value) && EVENT_TYPES.includes(value.type))
    object({ data: object({ generation }) })(value, path, errors);
};

export const problem = object(
  {
    type: nonEmpty,
    title: nonEmpty,
    status: integer({ min: 400, max: 599 }),
    detail: text,
    code: nonEmpty,
  },
  {
    instance: text,
    issues: array(object({ path: text, message: text })),
  },
);

/** All violations of the validator, as messages. Empty when the value conforms. */
export function violations(validator, value, name = '$') {
  const errors = [];
  validator(value, name, errors);
  return errors;
}

export function assertValid(validator, value, name = '$') {
  const errors = violations(validator, value, name);
  assert.equal(errors.length, 0, `not conformant:\n  ${errors.join('\n  ')}`);
}
