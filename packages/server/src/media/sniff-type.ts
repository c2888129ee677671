import { open } from 'node:fs/promises';
import { fileTypeFromBuffer } from 'file-type';
import { type MediaKind, type MediaPurpose, MediaRefused } from './media-facts.ts';

/** Enough to identify every accepted type; nothing beyond it is read here. */
export const SNIFF_BYTES = 4100;

export interface MediaType {
  mimeType: string;
  kind: MediaKind;
}

/** The types a customer may send. Outputs may have them too. */
export const UPLOAD_TYPES: Readonly<Record<string, MediaKind>> = {
  'image/png': 'image',
  'image/jpeg': 'image',
  'image/webp': 'image',
  'audio/mpeg': 'audio',
  'audio/wav': 'audio',
  'audio/mp4': 'audio',
  'audio/ogg': 'audio',
  'video/mp4': 'video',
  'video/webm': 'video',
  'video/quicktime': 'video',
};

/** The types only a provider may send. */
export const OUTPUT_ONLY_TYPES: Readonly<Record<string, MediaKind>> = {
  'model/gltf-binary': '3d',
  'image/svg+xml': 'image',
  'text/plain': 'text',
  'application/json': 'text',
};

const SAME_TYPE: Readonly<Record<string, string>> = {
  'audio/x-m4a': 'audio/mp4',
  'video/x-m4v': 'video/mp4',
  'audio/vnd.wave': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/x-wav': 'audio/wav',
  'audio/opus': 'audio/ogg',
  'application/ogg': 'audio/ogg',
  'image/apng': 'image/png',
};

const MP4_BOXES = new Set(['ftyp', 'moov', 'mdat', 'free', 'wide', 'skip']);

/**
 * Only the beginnings of accepted containers reach the general detector, so its parsers of other formats
 * never run on customer data on the event loop.
 */
function beginsLikeMedia(head: Uint8Array): boolean {
  const ascii = (start: number, end: number) => String.fromCharCode(...head.subarray(start, end));
  if (head.length < 12) return false;
  if (head[0] === 0xff && (head[1] === 0xd8 || ((head[1] ?? 0) & 0xe0) === 0xe0)) return true;
  if (ascii(1, 4) === 'PNG' || ascii(0, 3) === 'ID3' || ascii(0, 4) === 'OggS') return true;
  if (ascii(0, 4) === 'RIFF') return ascii(8, 12) === 'WEBP' || ascii(8, 12) === 'WAVE';
  return ascii(0, 4) === '\x1aE\xdf\xa3' || MP4_BOXES.has(ascii(4, 8));
}

/** The type by the bytes alone, or null. A video type is provisional until the tracks are known. */
export async function sniffHead(head: Uint8Array, purpose: MediaPurpose): Promise<MediaType | null> {
  if (beginsLikeMedia(head)) {
    const found = await fileTypeFromBuffer(head.subarray(0, SNIFF_BYTES));
    const bare = found?.mime.split(';')[0]?.trim() ?? '';
    const mimeType = SAME_TYPE[bare] ?? bare;
    const kind = UPLOAD_TYPES[mimeType];
    if (kind) return { mimeType, kind };
  }
  if (purpose === 'upload') return null;
  const mimeType = sniffOutputOnly(head.subarray(0, SNIFF_BYTES));
  return mimeType === null ? null : { mimeType, kind: OUTPUT_ONLY_TYPES[mimeType]! };
}

function sniffOutputOnly(head: Uint8Array): string | null {
  if (String.fromCharCode(...head.subarray(0, 4)) === 'glTF') return 'model/gltf-binary';
  const text = readText(head);
  if (text === null || text.trim() === '') return null;
  if (
    /^\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!--[\s\S]{0,2000}?-->\s*)?(?:<!DOCTYPE svg[^>]{0,400}>\s*)?<svg[\s>]/.test(text)
  ) {
    return 'image/svg+xml';
  }
  if (/^\s*</.test(text)) return null;
  return /^\s*[[{]/.test(text) ? 'application/json' : 'text/plain';
}

function readText(head: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return /[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/.test(text) ? null : text;
  } catch {
    return null;
  }
}

/** The type of a file by its first bytes; refuses what the purpose does not accept. */
export async function sniffType({ path, purpose }: { path: string; purpose: MediaPurpose }): Promise<MediaType> {
  const file = await open(path, 'r');
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(SNIFF_BYTES), 0, SNIFF_BYTES, 0);
    const type = await sniffHead(buffer.subarray(0, bytesRead), purpose);
    if (!type) throw new MediaRefused('upload_invalid', 'Unsupported file type.');
    return type;
  } finally {
    await file.close();
  }
}
