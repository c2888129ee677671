import type { ParamDescriptor } from '@atelier/contract';
import { CogRoute, cogRouteShape } from './cog/route.ts';
import { findWorkflowErrors } from './comfyui/find-workflow-errors.ts';
import { ComfyUiRoute, comfyUiRouteShape } from './comfyui/route.ts';
import { FalRoute, falRouteShape } from './fal/route.ts';
import { OpenAiRoute, openAiRouteShape, sendsMask } from './openai/route.ts';
import type { RouteError } from './provider.ts';
import type { BackendProvider, Backends } from './remote/backend.ts';
import { describeShapeErrors } from './remote/fields/describe-shape-errors.ts';
import { targetsOf } from './remote/fields/field-map.ts';
import { findFieldMapErrors } from './remote/fields/find-field-map-errors.ts';
import { usesLikeness } from './uses-likeness.ts';

const REMOTE = {
  openai: { shape: openAiRouteShape, schema: OpenAiRoute, key: 'map', backends: ['openai'] },
  comfyui: { shape: comfyUiRouteShape, schema: ComfyUiRoute, key: 'bind', backends: ['comfyui'] },
  cog: { shape: cogRouteShape, schema: CogRoute, key: 'map', backends: ['cog', 'replicate'] },
  fal: { shape: falRouteShape, schema: FalRoute, key: 'map', backends: ['fal'] },
} as const satisfies Record<
  string,
  { key: 'map' | 'bind'; backends: readonly BackendProvider[]; [more: string]: unknown }
>;
const PROVIDERS = ['local', ...Object.keys(REMOTE)];
/** Speech models on which `instructions` have no effect. */
const DEAF_TO_INSTRUCTIONS = /^tts-1(-hd)?$/;

export type RouteCheck = (
  route: { readonly provider: string; readonly settings: Readonly<Record<string, unknown>> },
  model: { readonly params: readonly ParamDescriptor[] },
) => RouteError[];

/** Checks catalog routes against the schema of their provider. Reports every error with what is allowed. */
export function createRouteCheck(options: {
  catalogDir: string;
  /** If set, what routes require of their backends is checked too. */
  backends?: Backends;
  /** Whether a route to another backend is wrong. False where other workers may have other backends. */
  backendsAreAll?: boolean;
}): RouteCheck {
  const { backends, backendsAreAll = true } = options;
  return ({ provider, settings }, { params }) => {
    if (provider === 'local') return findEngineErrors(settings);
    if (!Object.hasOwn(REMOTE, provider))
      return [{ path: ['provider'], reason: `must be one of ${PROVIDERS.join(', ')}` }];
    const { shape, schema, key, backends: kinds } = REMOTE[provider as keyof typeof REMOTE];
    return [
      ...describeShapeErrors(shape, { value: settings, schema, except: [key] }),
      ...findFieldMapErrors(settings, { key, params }),
      ...(provider === 'comfyui' ? findWorkflowErrors(settings, options.catalogDir) : []),
      ...(provider === 'openai' ? findInstructionErrors(settings) : []),
      ...(backends === undefined ? [] : findBackendErrors(settings, { backends, kinds, backendsAreAll })),
    ];
  };
}

function findEngineErrors({ engine }: Readonly<Record<string, unknown>>): RouteError[] {
  if (typeof engine === 'string' && Object.hasOwn(usesLikeness, engine)) return [];
  return [{ path: ['engine'], reason: `must be one of ${Object.keys(usesLikeness).join(', ')}` }];
}

function findInstructionErrors(settings: Readonly<Record<string, unknown>>): RouteError[] {
  if (!openAiRouteShape.Check(settings)) return [];
  const { model = '', map = {}, lookups = [], constants = {} } = settings;
  const fields = [
    ...Object.keys(map).flatMap((param) => targetsOf(map, param).map(({ field }) => field)),
    ...lookups.map(({ field }) => field),
    ...Object.keys(constants),
  ];
  if (!DEAF_TO_INSTRUCTIONS.test(model) || !fields.includes('instructions')) return [];
  return [{ path: ['model'], reason: `instructions have no effect on ${model}` }];
}

function findBackendErrors(
  settings: Readonly<Record<string, unknown>>,
  options: { backends: Backends; kinds: readonly BackendProvider[]; backendsAreAll: boolean },
): RouteError[] {
  const { backends, kinds } = options;
  const name = settings.backend;
  if (typeof name !== 'string') return [];
  const found = backends.find({ name, providers: kinds });
  if (found === undefined) {
    if (!options.backendsAreAll) return [];
    const known = backends.all.filter(({ provider }) => kinds.includes(provider)).map((each) => each.name);
    const told = known.length === 0 ? 'the file has none' : `the file has ${known.join(', ')}`;
    return [{ path: ['backend'], reason: `there is no backend ${name} with provider ${kinds.join(' or ')}; ${told}` }];
  }
  if (found.provider === 'replicate' && settings.version === undefined && settings.model === undefined)
    return [{ path: ['backend'], reason: 'a route to Replicate needs version or model' }];
  if (found.dialect === 'sglang' && openAiRouteShape.Check(settings) && sendsMask(settings))
    return [{ path: ['backend'], reason: `SGLang ignores masks, so ${name} does not serve a route that maps one` }];
  return [];
}
