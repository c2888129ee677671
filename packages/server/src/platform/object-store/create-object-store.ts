import { createDirectoryStore, type DirectoryStoreOptions } from './directory-store.ts';
import type { ObjectStore } from './object-store.ts';
import { createS3Store, type S3StoreOptions } from './s3-store.ts';

export type ObjectStoreOptions =
  | ({ readonly driver: 's3' } & S3StoreOptions)
  | ({ readonly driver: 'directory' } & DirectoryStoreOptions);

export function createObjectStore(options: ObjectStoreOptions): ObjectStore {
  return options.driver === 's3' ? createS3Store(options) : createDirectoryStore(options);
}
