import { ObjectStoreUnavailable } from './object-store.ts';

export function codeOf(error: unknown): unknown {
  return (error as { code?: unknown }).code;
}

export function isMissing(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR' || code === 'ERR_FS_EISDIR';
}

/** A disk that refuses (full, read-only, gone) is a store that is unavailable. */
export function toDirectoryError(error: unknown): unknown {
  const { code, syscall } = error as { code?: string; syscall?: string };
  if (syscall === undefined) return error;
  return new ObjectStoreUnavailable(`the object directory refused: ${code}`, { cause: error });
}
