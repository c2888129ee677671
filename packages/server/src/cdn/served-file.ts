import type { LinkVariant } from '../platform/signed-link.ts';

/** What the row of an asset says about one of its files. The bytes behind `key` never change. */
export interface ServedFile {
  readonly key: string;
  readonly bytes: number;
  /** Lower-case hex; the strong ETag. */
  readonly sha256: string;
  readonly mimeType: string;
  readonly filename: string;
}

/** Asked at every request, so that a deleted row is a dead link. */
export type FileLookup = (assetId: string, variant: LinkVariant) => Promise<ServedFile | null>;
