import type { LinkVariant } from '../platform/signed-link.ts';

/** One file of an asset, as its row describes it. The bytes behind `key` never change. */
export interface ServedFile {
  readonly key: string;
  readonly bytes: number;
  /** Lower-case hex; the strong ETag. */
  readonly sha256: string;
  readonly mimeType: string;
  readonly filename: string;
}

/** Called for every request, so that deleting the row invalidates its links. */
export type FileLookup = (assetId: string, variant: LinkVariant) => Promise<ServedFile | null>;
