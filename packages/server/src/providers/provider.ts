import type { FailureCode, ParamValues, TaskType } from '@atelier/contract';

/** A request to a provider. Files are passed by path inside `workDir`, which the caller removes. */
export interface ProviderJob {
  readonly generationId: string;
  readonly modelId: string;
  readonly taskType: TaskType;
  readonly params: ParamValues;
  /** Local copies of the uploads named by media params: param name to paths, in the order given. */
  readonly inputs: Readonly<Record<string, readonly string[]>>;
  readonly effectId: string | null;
  /** What the effect's catalog entry sets for the provider: a preset, a workflow. */
  readonly effectSettings: Readonly<Record<string, unknown>>;
  readonly outputs: number;
  readonly workDir: string;
  readonly deadlineAt: Date;
  /** The route's own settings from the catalog, checked by the provider that reads them. */
  readonly route: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  /** The URL that the backend calls when the run progresses, and a wait that ends early then. It settles nothing. */
  readonly callback?: { readonly url: string; pause(ms: number): Promise<void> };
  /** Reports progress, 0 to 1, for a provider that knows it while `submit` runs. It may be called at any rate. */
  report(progress: number): void;
}

export type DownloadFormat = 'obj' | 'fbx' | 'usdz' | 'stl';
export type Stem = 'vocals' | 'drums' | 'bass' | 'other';

/** One file made, still on the worker's disk. */
export interface ProducedOutput {
  readonly path: string;
  readonly downloads?: ReadonlyArray<{ readonly format: DownloadFormat; readonly path: string }>;
  readonly subtitles?: { readonly srtPath: string; readonly vttPath: string };
  readonly stem?: Stem;
}

export type Submitted = { readonly handle: string } | { readonly outputs: readonly ProducedOutput[] };
export type Polled =
  | { readonly state: 'running'; readonly progress?: number; readonly pollAfterMs?: number }
  | { readonly state: 'done'; readonly outputs: readonly ProducedOutput[] };

/** The interface of every provider. `submit` is idempotent by generation id where the backend can be. */
export interface Provider {
  /** Whether a route with these settings can be served by this process now. Without it: always. */
  serves?(settings: Readonly<Record<string, unknown>>): boolean;
  /** Whether the uploads are to be copied into `workDir` first. */
  readonly readsInputs?: boolean;
  submit(job: ProviderJob): Promise<Submitted>;
  poll(handle: string, job: ProviderJob): Promise<Polled>;
  cancel?(handle: string, job: ProviderJob): Promise<void>;
}

/** `retryable` says whether another attempt could end differently; the worker decides how often. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly code: FailureCode;
  readonly retryable: boolean;
  constructor(code: FailureCode, message: string, options: { retryable?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable ?? false;
  }
}

/** An error in a route's settings. */
export interface RouteError {
  /** Keys and list positions inside the route. */
  readonly path: readonly (string | number)[];
  readonly reason: string;
}
