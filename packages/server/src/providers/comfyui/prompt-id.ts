import { createHash } from 'node:crypto';

/** An id that every worker works out alike, so that a second submit finds the first, from ComfyUI 0.3.45 on. */
export function promptIdOf(options: { generationId: string; index: number; round: number }): string {
  return uuidOf(`prompt:${options.generationId}:${options.index}:${options.round}`);
}

/** Whoever follows a generation does so under the same name, since ComfyUI tells progress to that name alone. */
export function clientIdOf(generationId: string): string {
  return uuidOf(`client:${generationId}`);
}

function uuidOf(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
