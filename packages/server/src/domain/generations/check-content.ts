import type { Model, ParamValues } from '@atelier/contract';
import { ProviderError, type ProviderJob } from '../../providers/provider.ts';

/** What an automated check found, and what the operator wants done about it. */
export interface Finding {
  readonly action: 'flag' | 'block';
  readonly stage: 'prompt' | 'input' | 'output';
  readonly category: string | null;
}

/** Looks at what customers write and send and at what models make. Null: nothing was found, or nobody looks. */
export interface ContentCheck {
  checkPrompt(options: { text: string; signal?: AbortSignal }): Promise<Finding | null>;
  checkFiles(options: {
    paths: readonly string[];
    kind: 'image' | 'video';
    stage: 'input' | 'output';
    signal?: AbortSignal;
  }): Promise<Finding | null>;
}

/** The params that a customer writes in words for the model to follow; a negative prompt names what is unwanted. */
const WORDS = ['prompt', 'text', 'lyrics'] as const;
const IMAGE_PARAMS = new Set(['image', 'images', 'first_frame', 'last_frame', 'garment']);
const STAGES = {
  prompt: 'The words of the request were',
  input: 'An upload of the request was',
  output: 'What the model made was',
} as const;

/** The checks that a model's requests and outputs go through; one that cannot run closes the model. */
export function findChecksOf(model: Pick<Model, 'params' | 'modality'>): ReadonlySet<'prompt' | 'picture'> {
  const names = model.params.map(({ name }) => name);
  const checks = new Set<'prompt' | 'picture'>();
  if (names.some((name) => (WORDS as readonly string[]).includes(name))) checks.add('prompt');
  if (model.modality === 'image' || model.modality === 'video') checks.add('picture');
  if (names.some((name) => name === 'video' || IMAGE_PARAMS.has(name))) checks.add('picture');
  return checks;
}

/** Refuses words before a provider reads them. */
export async function checkWords(check: ContentCheck, job: ProviderJob): Promise<void> {
  refuse(await check.checkPrompt({ text: wordsOf(job.params), signal: job.signal }));
}

/** Refuses uploads. */
export async function checkUploads(check: ContentCheck, job: ProviderJob): Promise<void> {
  const { signal } = job;
  const images = Object.entries(job.inputs).filter(([param]) => IMAGE_PARAMS.has(param));
  const paths = { image: images.flatMap(([, each]) => each), video: job.inputs['video'] ?? [] };
  for (const kind of ['image', 'video'] as const) {
    refuse(await check.checkFiles({ paths: paths[kind], kind, stage: 'input', signal }));
  }
}

/** Refuses what a provider made before it is stored. A picture is judged by its thumbnail; sounds, solids and texts are not looked at. */
export async function checkOutput(
  check: ContentCheck,
  output: { path: string; thumbnailPath: string; kind: string; signal: AbortSignal },
): Promise<void> {
  const { kind, signal } = output;
  if (kind !== 'image' && kind !== 'video') return;
  const paths = [kind === 'image' ? output.thumbnailPath : output.path];
  refuse(await check.checkFiles({ paths, kind, stage: 'output', signal }));
}

function wordsOf(params: ParamValues): string {
  return WORDS.map((name) => params[name])
    .filter((words): words is string => typeof words === 'string')
    .join('\n');
}

/** The message says the stage and the kind, and that a machine judged: it knows no more. */
function refuse(finding: Finding | null): void {
  if (finding?.action !== 'block') return;
  const kind = finding.category === null ? '' : ` as ${finding.category}`;
  throw new ProviderError('content_policy', `${STAGES[finding.stage]} flagged${kind} by an automated check.`);
}
