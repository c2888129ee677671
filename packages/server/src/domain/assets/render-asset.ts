import type { Asset } from '@atelier/contract';
import { DOWNLOAD_FORMATS } from '@atelier/contract';
import { type LinkVariant, signLink } from '../../platform/signed-link.ts';
import type { Services } from '../services.ts';
import type { AssetRow } from './assets.store.ts';

export const LINK_LIFE_SECONDS = 3600;

/** An asset as clients see it, with fresh links on every read. */
export function renderAsset(services: Pick<Services, 'keys' | 'clock' | 'cdnUrl'>, row: AssetRow): Asset {
  const { keys } = services;
  const key = keys.key('link') as Buffer;
  const expiresAtSeconds = Math.floor(services.clock.now().getTime() / 1000) + LINK_LIFE_SECONDS;
  const link = (variant: LinkVariant) =>
    signLink({
      key,
      kid: keys.kid,
      origin: services.cdnUrl,
      assetId: row.id,
      variant,
      disposition: 'inline',
      expiresAtSeconds,
    });
  const downloads = DOWNLOAD_FORMATS.flatMap((format) => {
    const stored = row.variants[format];
    return stored === undefined ? [] : [{ format, url: link(format), bytes: stored.bytes }];
  });
  return {
    id: row.id,
    kind: row.kind,
    url: link('file'),
    thumbnailUrl: link('thumbnail'),
    posterUrl: row.variants.poster === undefined ? null : link('poster'),
    mimeType: row.mimeType,
    width: row.width,
    height: row.height,
    durationSeconds: row.durationSeconds,
    ...(row.kind === 'audio' ? { waveformUrl: row.variants.waveform === undefined ? null : link('waveform') } : {}),
    ...(row.transparent === null ? {} : { transparent: row.transparent }),
    ...(downloads.length === 0 ? {} : { downloads }),
    ...(row.stem === null ? {} : { stem: row.stem }),
    ...(row.variants.srt === undefined ? {} : { subtitles: { srtUrl: link('srt'), vttUrl: link('vtt') } }),
    expiresAt: row.expiresAt?.toISOString() ?? null,
  };
}
