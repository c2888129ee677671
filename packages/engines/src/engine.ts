import type { FailureCode, ParamValues, TaskType } from '@atelier/contract';

/** What an engine is asked to make, as its child process sees it. */
export interface EngineRequest {
  readonly taskType: TaskType;
  /** Checked against the catalog and filled with its defaults. */
  readonly params: ParamValues;
  /** Paths of the uploads named by media params, in the order given. */
  readonly inputs: Readonly<Record<string, readonly string[]>>;
  readonly outputs: number;
  /** The route's own settings, with those of the effect over them. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** An empty folder of this request alone: outputs go here, and so does everything in between. */
  readonly dir: string;
}

export type DownloadFormat = 'obj' | 'fbx' | 'usdz' | 'stl';
export type Stem = 'vocals' | 'drums' | 'bass' | 'other';

/** One file made, in the folder of the request. */
export interface EngineOutput {
  readonly path: string;
  readonly downloads?: ReadonlyArray<{ readonly format: DownloadFormat; readonly path: string }>;
  readonly subtitles?: { readonly srtPath: string; readonly vttPath: string };
  readonly stem?: Stem;
}

/** What a child process gives to the engine in it. */
export interface EngineKit {
  /** The folder of a set of weights, of those that the engine's row names. */
  weights(id: string): string;
  /** The path of a program, of those that the engine's row names. */
  program(name: string): string;
  readonly threads: number;
}

export interface Engine {
  /** `report` takes the part done, 0 to 1; it may be called as often as is handy. */
  run(request: EngineRequest, report: (progress: number) => void): Promise<readonly EngineOutput[]>;
}

/** Every engine's module exports this. What is slow to load is loaded here, once per child. */
export type CreateEngine = (kit: EngineKit) => Promise<Engine>;

/** The request cannot be served as it is; the message is read by the customer and says what would work. */
export class EngineRefusal extends Error {
  override readonly name = 'EngineRefusal';
  readonly code: FailureCode;
  constructor(message: string, code: FailureCode = 'invalid_input') {
    super(message);
    this.code = code;
  }
}
