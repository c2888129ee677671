import { ObjectStoreUnavailable } from './object-store.ts';

export function codeOf(error: unknown): unknown {
  return (error as { code?: unknown }).code;
}

export function isMissing(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR' || code === 'ERR_FS_EISDIR';
}

/** File system errors (disk full, read-only, missing) mean that the store is unavailable. */
export function toDirectoryError(error: unknown): unknown {
  const { code, syscall } = error as { code?: string; syscall?: string };
  if (syscall === undefined) return error;
  return new ObjectStoreUnavailable(`object directory unavailable: ${code}`, { cause: error });
}
