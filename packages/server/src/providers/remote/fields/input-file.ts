import { openAsBlob } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import sharp from 'sharp';
import { sniffType } from '../../../media/sniff-type.ts';
import { ProviderError, type ProviderJob } from '../../provider.ts';
import type { FileField } from './field-map.ts';

const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
  'audio/mp4': 'm4a',
  'audio/ogg': 'ogg',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
  'video/quicktime': 'mov',
};

/** An upload as a backend gets it: our own name, never the customer's. */
export interface InputFile {
  readonly path: string;
  readonly mimeType: string;
  readonly extension: string;
  readonly bytes: number;
}

export async function openInput(path: string): Promise<InputFile> {
  const { mimeType } = await sniffType({ path, purpose: 'upload' });
  const { size } = await stat(path);
  return { path, mimeType, extension: EXTENSIONS[mimeType] ?? 'bin', bytes: size };
}

/** Read from the disk as it is sent. */
export function blobOf({ path, mimeType }: InputFile): Promise<Blob> {
  return openAsBlob(path, { type: mimeType });
}

export async function dataUrlOf(
  { path, mimeType, bytes }: InputFile,
  { maxBytes }: { maxBytes: number },
): Promise<string> {
  if (bytes > maxBytes)
    throw new ProviderError('invalid_input', `An upload exceeds the ${maxBytes} bytes that this model accepts.`);
  return `data:${mimeType};base64,${(await readFile(path)).toString('base64')}`;
}

/** The files of one field, ready to send: a mask is converted to the format of the backend. */
export async function openFieldFiles(
  field: FileField,
  job: Pick<ProviderJob, 'inputs' | 'workDir'>,
): Promise<InputFile[]> {
  const files: InputFile[] = [];
  for (const path of field.files) {
    let source = path;
    if (field.mask !== undefined) {
      source = `${path}-${field.mask}.png`;
      const imagePath = job.inputs.image?.[0] ?? job.inputs.images?.[0] ?? path;
      await convertMask({ maskPath: path, imagePath, kind: field.mask, outPath: source });
    }
    files.push(await openInput(source));
  }
  return files;
}

/** Our mask, white where the picture changes, as the backend wants it, of the picture's size. */
async function convertMask(options: {
  maskPath: string;
  imagePath: string;
  kind: 'alpha' | 'inverted';
  outPath: string;
}): Promise<void> {
  const { width, height } = await uprightSize(options.imagePath);
  const kept = sharp(options.maskPath).rotate().flatten().resize(width, height, { fit: 'fill' }).greyscale().negate();
  if (options.kind === 'inverted') {
    await kept.png().toFile(options.outPath);
    return;
  }
  const alpha = await kept.toColourspace('b-w').raw().toBuffer();
  await sharp({ create: { width, height, channels: 3, background: '#000' } })
    .joinChannel(alpha, { raw: { width, height, channels: 1 } })
    .png()
    .toFile(options.outPath);
}

const TURNED_ORIENTATION = 5;

async function uprightSize(path: string): Promise<{ width: number; height: number }> {
  const { width, height, orientation = 1 } = await sharp(path).metadata();
  return orientation >= TURNED_ORIENTATION ? { width: height, height: width } : { width, height };
}
