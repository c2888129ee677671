import type { Readable } from 'node:stream';

export interface StoredObject {
  readonly bytes: number;
  readonly etag: string;
  readonly lastModified: Date;
}

export interface PresignOptions {
  readonly method: 'GET' | 'HEAD';
  readonly key: string;
  readonly expiresInSeconds: number;
  readonly contentType: string;
  readonly disposition: string;
  readonly cacheControl: string;
}

/**
 * Storage for files. Objects are written once and never changed in place, so a reader never sees a partial object:
 * a failed or interrupted put leaves either the old object or none.
 */
export interface ObjectStore {
  putFile(options: { key: string; path: string; contentType: string }): Promise<void>;
  putBytes(options: { key: string; bytes: Uint8Array; contentType: string }): Promise<void>;
  /** The length need not be known. An error of the source is thrown unchanged; nothing is stored then. */
  putStream(options: { key: string; stream: Readable; contentType: string }): Promise<{ bytes: number }>;
  head(key: string): Promise<StoredObject | null>;
  /**
   * `start` and `end` are inclusive, as in HTTP; a start beyond the object is a RangeError. `object` describes the
   * whole object. The stream fails when fewer bytes arrive than the store announced: it never ends early.
   */
  read(options: {
    key: string;
    start?: number;
    end?: number;
    signal?: AbortSignal;
  }): Promise<{ stream: Readable; object: StoredObject } | null>;
  /** A key that does not exist is not an error. */
  deleteMany(keys: readonly string[]): Promise<void>;
  /** In byte order of the keys. */
  list(options: {
    prefix: string;
    startAfter?: string;
    limit: number;
  }): Promise<ReadonlyArray<{ key: string; bytes: number; lastModified: Date }>>;
  /** A URL at which the store itself serves the object, with these headers. Only S3 can. */
  presign?(options: PresignOptions): Promise<string>;
  /** Readiness: throws when the store cannot be used. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** The store cannot be reached or reports an internal error: the same call may succeed later. */
export class ObjectStoreUnavailable extends Error {
  override readonly name = 'ObjectStoreUnavailable';
}
