import type { AssetKind, InputLimits, Issue, ProblemCode } from '@atelier/contract';
import { DURATION_TOLERANCE_SECONDS } from '../../media/upload-limits.ts';
import { Problem } from '../../platform/problem.ts';
import type { CatalogModel } from './catalog.ts';
import type { MediaRef } from './check-params.ts';

/** The probed facts of an upload. */
export interface InputFacts {
  readonly id: string;
  readonly kind: AssetKind;
  readonly bytes: number;
  readonly width: number | null;
  readonly height: number | null;
  readonly durationSeconds: number | null;
}

interface Input {
  readonly ref: MediaRef;
  readonly path: string;
  readonly facts: InputFacts;
}

interface Finding {
  readonly detail: string;
  readonly issue: Issue;
}

const MAX_ISSUES = 50;
const PERCENT = 100;
/** The same text for an unknown upload, a deleted one and another account's: the response must not reveal which it is. */
const NO_SUCH_UPLOAD = 'is not an upload of this account';

/** Checks the uploads of a request against `found`. In a draft, uploads may be missing. */
export function checkInputs(options: {
  model: CatalogModel;
  media: readonly MediaRef[];
  found: ReadonlyMap<string, InputFacts>;
  draft: boolean;
}): void {
  const { model, media, found, draft } = options;
  const limits = model.entry.inputLimits ?? {};
  if (!draft) {
    const missing = findMissingUploads({ model, media, found });
    refuseAny(
      'invalid_params',
      missing.map((issue) => ({ detail: `${issue.path} ${issue.message}.`, issue })),
    );
  }
  const inputs = placesOf(model, media).flatMap(({ ref, path, id }): Input[] => {
    const facts = found.get(id);
    return facts === undefined ? [] : [{ ref, path, facts }];
  });
  refuseAny('wrong_media', inputs.flatMap(judgeKind));
  refuseAny(
    'input_duration',
    inputs.flatMap((input) => judgeSeconds(input, limits)),
  );
  refuseAny(
    'input_too_large',
    inputs.flatMap((input) => [...judgeBytes(input, limits), ...judgePixels(input, limits)]),
  );
}

/** One issue for each upload of a request that was not found. */
export function findMissingUploads(options: {
  model: CatalogModel;
  media: readonly MediaRef[];
  found: ReadonlyMap<string, InputFacts>;
}): readonly Issue[] {
  return placesOf(options.model, options.media)
    .filter(({ id }) => !options.found.has(id))
    .map(({ path }) => ({ path, message: NO_SUCH_UPLOAD }));
}

/** Each upload of a request, with its path. */
function placesOf(model: CatalogModel, media: readonly MediaRef[]) {
  return media.flatMap((ref) => {
    const isList = model.entry.params.some(({ name, kind }) => name === ref.param && kind === 'media_list');
    return ref.ids.map((id, index) => ({ ref, id, path: isList ? `${ref.path}.${index}` : ref.path }));
  });
}

function refuseAny(code: ProblemCode, findings: readonly Finding[]): void {
  const [first] = findings;
  if (first === undefined) return;
  throw new Problem(code, first.detail, { issues: findings.slice(0, MAX_ISSUES).map(({ issue }) => issue) });
}

function judgeKind({ ref, path, facts }: Input): Finding[] {
  if (facts.kind === ref.accept) return [];
  return [
    {
      detail: `The param ${ref.param} takes ${withArticle(ref.accept)}; the upload is ${withArticle(facts.kind)}.`,
      issue: { path, message: `must be ${withArticle(ref.accept)}` },
    },
  ];
}

function judgeSeconds({ path, facts }: Input, limits: InputLimits): Finding[] {
  const { minInputSeconds: least = 0, maxInputSeconds: most = Number.POSITIVE_INFINITY } = limits;
  const { kind, durationSeconds: seconds } = facts;
  if (kind !== 'video' && kind !== 'audio') return [];
  if (seconds === null) {
    if (least === 0 && most === Number.POSITIVE_INFINITY) return [];
    return [{ detail: `The duration of the ${kind} is unknown.`, issue: { path, message: 'has an unknown duration' } }];
  }
  if (seconds >= least - DURATION_TOLERANCE_SECONDS && seconds <= most + DURATION_TOLERANCE_SECONDS) return [];
  const bound = seconds < least ? `at least ${least}` : `at most ${most}`;
  const shown = roundSeconds(seconds, seconds < least ? Math.floor : Math.ceil);
  return [
    {
      detail: `The ${kind} lasts ${shown} seconds; this model takes ${bound}.`,
      issue: { path, message: `lasts ${shown} seconds, ${bound} are allowed` },
    },
  ];
}

/** Rounds away from the limit, so that 10.01 seconds are never shown as 10. */
function roundSeconds(seconds: number, round: (value: number) => number): number {
  return round(seconds * 10) / 10;
}

function judgeBytes({ path, facts }: Input, { maxInputBytes: most }: InputLimits): Finding[] {
  if (most === undefined || facts.bytes <= most) return [];
  return [
    {
      detail: `The ${facts.kind} has ${facts.bytes} bytes; this model takes at most ${most}.`,
      issue: { path, message: `has ${facts.bytes} bytes, at most ${most} are allowed` },
    },
  ];
}

function judgePixels({ ref, path, facts }: Input, limits: InputLimits): Finding[] {
  const { kind, width, height } = facts;
  if (width === null || height === null) return [];
  const [wide, high] = outputSides(ref, { width, height });
  const { maxOutputPixels: mostPixels, maxOutputSide: mostSide } = limits;
  const would = `The ${kind} would give ${wide} x ${high} pixels; this model makes`;
  const findings: Finding[] = [];
  if (mostPixels !== undefined && wide * high > mostPixels) {
    const message = `gives ${wide * high} pixels, at most ${mostPixels} are allowed`;
    findings.push({ detail: `${would} at most ${mostPixels}.`, issue: { path, message } });
  }
  if (mostSide !== undefined && Math.max(wide, high) > mostSide) {
    const message = `gives a side of ${Math.max(wide, high)} pixels, at most ${mostSide} are allowed`;
    findings.push({ detail: `${would} sides of at most ${mostSide}.`, issue: { path, message } });
  }
  return findings;
}

/** The dimensions of the output: first expanded, then upscaled. */
function outputSides(ref: MediaRef, { width, height }: { width: number; height: number }): [number, number] {
  const { upscaleFactor: factor = 1, expand } = ref;
  if (expand === undefined) return [width * factor, height * factor];
  const added = (amount: number, side: number) =>
    expand.unit === 'percent' ? Math.round((side * amount) / PERCENT) : amount;
  return [
    (width + added(expand.left, width) + added(expand.right, width)) * factor,
    (height + added(expand.top, height) + added(expand.bottom, height)) * factor,
  ];
}

function withArticle(kind: AssetKind): string {
  const names: Record<AssetKind, string> = {
    image: 'an image',
    video: 'a video',
    audio: 'audio',
    '3d': 'a 3D model',
    text: 'text',
  };
  return names[kind];
}
