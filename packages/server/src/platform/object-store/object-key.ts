const MAX_KEY_CHARS = 512;
const KEY = /^[A-Za-z0-9][A-Za-z0-9._-]*(?:\/[A-Za-z0-9][A-Za-z0-9._-]*)*$/;
const PREFIX = /^(?:[A-Za-z0-9][A-Za-z0-9._-]*\/)*(?:[A-Za-z0-9][A-Za-z0-9._-]*)?$/;

/**
 * One alphabet for every driver: a key means the same in a URL, in a bucket and on a disk.
 * No segment starts with a dot, so no key can leave the directory or name a hidden file.
 */
export function assertObjectKey(key: string): void {
  if (key.length > MAX_KEY_CHARS || !KEY.test(key)) throw new TypeError('not a valid object key');
}

export function assertObjectPrefix(prefix: string): void {
  if (prefix.length > MAX_KEY_CHARS || !PREFIX.test(prefix)) throw new TypeError('not a valid object key prefix');
}
