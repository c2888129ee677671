/** Existing ids: fuzzing with only random ids never gets past the first check. */
export interface Known {
  readonly modelIds: readonly string[];
  readonly effectIds: readonly string[];
  readonly generationIds: readonly string[];
  readonly assetIds: readonly string[];
  /** All bytes received, not completed. */
  readonly resumableIds: readonly string[];
  readonly cursors: readonly string[];
}
