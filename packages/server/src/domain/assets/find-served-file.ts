import { sha256 } from '../../platform/crypto.ts';
import type { LinkVariant } from '../../platform/signed-link.ts';
import type { Services } from '../services.ts';
import { findServed } from './assets.store.ts';

export interface ServedFile {
  readonly key: string;
  readonly bytes: number;
  /** Lowercase hex, the strong validator: the hash of the content, or for a variant the hash of its source. */
  readonly sha256: string;
  readonly mimeType: string;
  readonly filename: string;
  readonly lastModified: Date;
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
  'audio/mp4': 'm4a',
  'audio/ogg': 'ogg',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
  'video/quicktime': 'mov',
  'model/gltf-binary': 'glb',
  'text/plain': 'txt',
  'application/json': 'json',
};

/** The name of an asset as a file. */
export function nameAssetFile({ assetId, mimeType }: { assetId: string; mimeType: string }): string {
  return `${assetId}.${EXTENSIONS[mimeType] ?? 'bin'}`;
}

/** Resolves a signed link when it is served: deletion or expiry of the row invalidates every link to it. */
export async function findServedFile(
  services: Pick<Services, 'db'>,
  link: { assetId: string; variant: LinkVariant },
): Promise<ServedFile | null> {
  const row = await findServed(services.db, link.assetId);
  if (row === null) return null;
  const { assetId, variant } = link;
  if (variant === 'file') {
    return {
      key: row.objectKey,
      bytes: row.bytes,
      sha256: row.sha256.toString('hex'),
      mimeType: row.mimeType,
      filename: nameAssetFile({ assetId, mimeType: row.mimeType }),
      lastModified: row.createdAt,
    };
  }
  const stored = row.variants[variant];
  if (stored === undefined) return null;
  return {
    key: stored.key,
    bytes: stored.bytes,
    sha256: sha256(`${row.sha256.toString('hex')}/${variant}`).toString('hex'),
    mimeType: stored.mimeType,
    filename: `${assetId}-${variant}.${EXTENSIONS[stored.mimeType] ?? variant}`,
    lastModified: row.createdAt,
  };
}
