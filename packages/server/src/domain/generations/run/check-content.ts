import type { Model, ParamValues } from '@atelier/contract';
import { ProviderError, type ProviderJob } from '../../../providers/provider.ts';
import type { Finding, Safety } from '../../../safety/create-safety.ts';
import { SafetyUnavailable } from '../../../safety/verdict.ts';

/** Checks prompts, uploads and outputs. Null: nothing was found, or the check is disabled. */
export type ContentCheck = Pick<Safety, 'checkPrompt' | 'checkFiles'>;

/** Params with text that the model follows; a negative prompt names what to avoid, so it is not checked. */
const WORDS = ['prompt', 'text', 'lyrics'] as const;
const IMAGE_PARAMS = new Set(['image', 'images', 'first_frame', 'last_frame', 'garment']);
const STAGES = {
  prompt: 'The words of the request were',
  input: 'An upload of the request was',
  output: 'What the model made was',
} as const;

/** The checks that apply to a model's requests and outputs; if one of them cannot run, the model is closed. */
export function findChecksOf(model: Pick<Model, 'params' | 'modality'>): ReadonlySet<'prompt' | 'picture'> {
  const names = model.params.map(({ name }) => name);
  const checks = new Set<'prompt' | 'picture'>();
  if (names.some((name) => (WORDS as readonly string[]).includes(name))) checks.add('prompt');
  if (model.modality === 'image' || model.modality === 'video') checks.add('picture');
  if (names.some((name) => name === 'video' || IMAGE_PARAMS.has(name))) checks.add('picture');
  return checks;
}

/** Refuses texts before a provider reads them. */
export async function checkWords(check: ContentCheck, job: ProviderJob): Promise<void> {
  await refuse(check.checkPrompt({ text: wordsOf(job.params), signal: job.signal }));
}

/** Refuses uploads. */
export async function checkUploads(check: ContentCheck, job: ProviderJob): Promise<void> {
  const { signal } = job;
  const images = Object.entries(job.inputs).filter(([param]) => IMAGE_PARAMS.has(param));
  const paths = { image: images.flatMap(([, each]) => each), video: job.inputs['video'] ?? [] };
  for (const kind of ['image', 'video'] as const) {
    await refuse(check.checkFiles({ paths: paths[kind], kind, stage: 'input', signal }));
  }
}

/** Refuses an output before it is stored. An image is checked by its thumbnail; audio, 3D models and texts are not checked. */
export async function checkOutput(
  check: ContentCheck,
  output: { path: string; thumbnailPath: string; kind: string; signal: AbortSignal },
): Promise<void> {
  const { kind, signal } = output;
  if (kind !== 'image' && kind !== 'video') return;
  const paths = [kind === 'image' ? output.thumbnailPath : output.path];
  await refuse(check.checkFiles({ paths, kind, stage: 'output', signal }));
}

function wordsOf(params: ParamValues): string {
  return WORDS.map((name) => params[name])
    .filter((words): words is string => typeof words === 'string')
    .join('\n');
}

/** Throws if content is blocked or could not be checked. The message names only the stage and the category. */
async function refuse(found: Promise<Finding | null>): Promise<void> {
  const finding = await found.catch((error: unknown) => {
    if (!(error instanceof SafetyUnavailable)) throw error;
    // Fail closed: unchecked content does not pass.
    const message = 'The automated check of content is unavailable.';
    throw new ProviderError('unavailable', message, { retryable: true, cause: error });
  });
  if (finding?.action !== 'block') return;
  const kind = finding.category === null ? '' : ` as ${finding.category}`;
  throw new ProviderError('content_policy', `${STAGES[finding.stage]} flagged${kind} by an automated check.`);
}
