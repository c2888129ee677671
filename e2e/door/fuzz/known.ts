/** What the service knows: fuzzing that only guesses ids never gets behind the first check. */
export interface Known {
  readonly modelIds: readonly string[];
  readonly effectIds: readonly string[];
  readonly generationIds: readonly string[];
  readonly assetIds: readonly string[];
  /** All bytes there, not yet an asset. */
  readonly resumableIds: readonly string[];
  readonly cursors: readonly string[];
}
