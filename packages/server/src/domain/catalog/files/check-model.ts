import type { Modality, ParamDescriptor, ParamName, TaskType } from '@atelier/contract';
import { engineUsesLikeness } from '../../../providers/uses-likeness.ts';
import { EXPAND_PARAMS } from '../check-params.ts';
import { judgeParam } from '../judge-param.ts';
import { checkDescriptor } from './check-descriptor.ts';
import { checkPriceRule } from './check-price-rule.ts';
import type { ModelRecord } from './file-schemas.ts';
import type { Path, Report } from './report.ts';

const MIN_NOTICE_DAYS = 30;
const MS_PER_DAY = 86_400_000;
/** Tasks that always use a person's likeness or voice, with any provider. */
const PERSONAL_TASKS: ReadonlySet<TaskType> = new Set([
  'video.lipsync',
  'video.animate',
  'audio.voice-change',
  'image.try-on',
  'image.retouch',
]);

/** Tasks that change, animate or continue a given picture or film, unless an engine is known to do neither. */
const CONDITIONED_TASKS: ReadonlySet<TaskType> = new Set([
  'video.generate',
  'video.v2v',
  'video.extend',
  'video.effect',
  'image.edit',
  'image.inpaint',
  'image.restyle',
  'image.effect',
]);

/** Checks the consistency of a well-formed model. */
export function checkModel(options: { model: ModelRecord; at: Path; report: Report }): void {
  const { model, at, report } = options;
  const modality = model.taskType.split('.')[0] as Modality;
  if (model.workspace !== modality && model.workspace !== 'tools') {
    report([...at, 'workspace'], `must be ${modality} or tools for the task ${model.taskType}`);
  }
  checkConsent(options);
  const params = checkParamList(options);
  checkDefaults({ ...options, params });
  checkInputLimits(options);
  checkExpandUnit({ ...options, params });
  checkPriceRule({ price: model.price, params, defaults: model.defaults ?? {}, at: [...at, 'price'], report });
  for (const [index, { provider }] of model.routes.entries()) {
    // The simulator serves test-mode keys only; a route to it would sell simulated results for real coins.
    if (provider === 'simulator') report([...at, 'routes', index, 'provider'], 'must not be the simulator');
  }
  checkDeprecation(options);
}

function checkConsent({ model, at, report }: { model: ModelRecord; at: Path; report: Report }): void {
  if (model.consent === true) return;
  const place = [...at, 'consent'];
  const when: readonly ParamName[] = model.consent === false ? [] : model.consent.when;
  const media = model.params.filter(({ kind }) => kind === 'media' || kind === 'media_list');
  for (const [index, name] of when.entries()) {
    if (media.some((each) => each.name === name)) continue;
    report([...place, 'when', index], `${name} is no media param of this model`);
  }
  if (PERSONAL_TASKS.has(model.taskType)) {
    report(place, `must be true for the task ${model.taskType}`);
    return;
  }
  const routes = model.routes as ReadonlyArray<{ provider: string; engine?: unknown }>;
  for (const { provider, engine } of routes) {
    if (provider === 'local' && engineUsesLikeness(engine)) {
      report(place, `must be true: the engine ${engine} animates or imitates a face or voice`);
    }
  }
  if (!CONDITIONED_TASKS.has(model.taskType) || !routes.some(({ provider }) => provider !== 'local')) return;
  // A mask shows where to change something, and nobody.
  const shown = media.filter(({ name }) => name !== 'mask' && !when.includes(name)).map(({ name }) => name);
  if (shown.length === 0) return;
  report(place, `must be true or have ${shown.join(', ')} in when: the model changes or animates what it shows`);
}

function checkParamList(options: {
  model: ModelRecord;
  at: Path;
  report: Report;
}): ReadonlyMap<ParamName, ParamDescriptor> {
  const { model, at, report } = options;
  const params = new Map<ParamName, ParamDescriptor>();
  for (const [index, descriptor] of model.params.entries()) {
    const place = [...at, 'params', index];
    if (params.has(descriptor.name)) report([...place, 'name'], `${descriptor.name} is described twice`);
    params.set(descriptor.name, descriptor);
    checkDescriptor({ descriptor, at: place, report });
  }
  return params;
}

function checkDefaults(options: {
  model: ModelRecord;
  params: ReadonlyMap<ParamName, ParamDescriptor>;
  at: Path;
  report: Report;
}): void {
  const { model, params, at, report } = options;
  for (const [name, value] of Object.entries(model.defaults ?? {})) {
    const place = [...at, 'defaults', name];
    const descriptor = params.get(name as ParamName);
    if (descriptor === undefined) report(place, 'is not a param of this model');
    else if (descriptor.required) report(place, 'is required, so it has no default');
    else if (descriptor.kind === 'media' || descriptor.kind === 'media_list')
      report(place, 'names an upload, so it has no default');
    else for (const { message } of judgeParam({ descriptor, value, path: name })) report(place, message);
  }
}

/** Without the unit, the output size is unknown. */
function checkExpandUnit(options: {
  model: ModelRecord;
  params: ReadonlyMap<ParamName, ParamDescriptor>;
  at: Path;
  report: Report;
}): void {
  const { model, params, at, report } = options;
  const expands = EXPAND_PARAMS.some((name) => params.has(name));
  if (expands && model.expandUnit === undefined) {
    report(at, 'lacks expandUnit: pixels or percent, since the model has expand params');
  }
  if (!expands && model.expandUnit !== undefined) report([...at, 'expandUnit'], 'the model has no expand params');
}

function checkInputLimits({ model, at, report }: { model: ModelRecord; at: Path; report: Report }): void {
  const { inputLimits: limits } = model;
  if (limits === undefined) return;
  const place = [...at, 'inputLimits'];
  const accepted = new Set<string>(
    model.params.flatMap((each) => (each.kind === 'media' || each.kind === 'media_list' ? [each.accept] : [])),
  );
  const { minInputSeconds, maxInputSeconds } = limits;
  if (accepted.size === 0) report(place, 'the model takes no media');
  if (minInputSeconds !== undefined && maxInputSeconds !== undefined && minInputSeconds > maxInputSeconds) {
    report([...place, 'minInputSeconds'], 'is above maxInputSeconds');
  }
  for (const name of ['minInputSeconds', 'maxInputSeconds'] as const) {
    if (limits[name] !== undefined && !accepted.has('video') && !accepted.has('audio')) {
      report([...place, name], 'the model takes neither video nor audio');
    }
  }
}

function checkDeprecation({ model, at, report }: { model: ModelRecord; at: Path; report: Report }): void {
  if (model.deprecation === undefined) return;
  const { deprecatedAt, sunsetAt } = model.deprecation;
  const noticeDays = (Date.parse(sunsetAt) - Date.parse(deprecatedAt)) / MS_PER_DAY;
  if (noticeDays < MIN_NOTICE_DAYS) {
    report([...at, 'deprecation', 'sunsetAt'], `must be at least ${MIN_NOTICE_DAYS} days after deprecatedAt`);
  }
}
