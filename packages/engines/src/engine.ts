import type { FailureCode, ParamValues, TaskType } from '@atelier/contract';

/** A request to an engine, as its child process receives it. */
export interface EngineRequest {
  readonly taskType: TaskType;
  /** Validated against the catalog, with defaults filled in. */
  readonly params: ParamValues;
  /** Paths of the uploads of each media param, in the given order. */
  readonly inputs: Readonly<Record<string, readonly string[]>>;
  readonly outputs: number;
  /** The settings of the route, overridden by those of the effect. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** An empty folder for this request only, for outputs and temporary files. */
  readonly dir: string;
}

export type DownloadFormat = 'obj' | 'fbx' | 'usdz' | 'stl';
export type Stem = 'vocals' | 'drums' | 'bass' | 'other';

/** One output file in the folder of the request. */
export interface EngineOutput {
  readonly path: string;
  readonly downloads?: ReadonlyArray<{ readonly format: DownloadFormat; readonly path: string }>;
  readonly subtitles?: { readonly srtPath: string; readonly vttPath: string };
  readonly stem?: Stem;
}

/** What the child process provides to its engine. */
export interface EngineKit {
  /** The folder of a set of weights listed in the engine's row. */
  weights(id: string): string;
  /** The path of a program listed in the engine's row. */
  program(name: string): string;
  readonly threads: number;
}

export interface Engine {
  /** `report` takes the progress, 0 to 1. It may be called at any rate. */
  run(request: EngineRequest, report: (progress: number) => void): Promise<readonly EngineOutput[]>;
}

/** Every engine's module exports this as `createEngine`. It loads models and libraries, once per child. */
export type CreateEngine = (kit: EngineKit) => Promise<Engine>;

/** The request cannot be served. The message is shown to the customer and says what would work. */
export class EngineRefusal extends Error {
  override readonly name = 'EngineRefusal';
  readonly code: FailureCode;
  constructor(message: string, code: FailureCode = 'invalid_input') {
    super(message);
    this.code = code;
  }
}
