import { readFile, stat } from 'node:fs/promises';
import sharp from 'sharp';
import type { ImageBounds, ProbeResult } from './probe-protocol.ts';
import { ProbeRefusal } from './probe-protocol.ts';

const THUMBNAIL_PIXELS = 512;
const THUMBNAIL_QUALITY = 80;
/** Encoding at the default effort costs twice as much for a few bytes less. */
const THUMBNAIL_EFFORT = 2;

const MAX_SVG_BYTES = 8 * 1024 * 1024;
const MAX_SVG_SIDE_PIXELS = 16384;
const SVG_DENSITY = 72;

const SVG_LOADERS = { operation: ['VipsForeignLoadSvg'] };

sharp.cache(false);
sharp.concurrency(1);
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['VipsForeignLoadPng', 'VipsForeignLoadJpeg', 'VipsForeignLoadWebp'] });

/** The size of an image within the bounds, with all frames counted. Refuses any other. */
export async function requireBounds({ path, bounds }: { path: string; bounds: ImageBounds }) {
  // Only the header, for any size, so that the message can name the limit.
  const header = await sharp(path, { failOn: 'error', limitInputPixels: false, pages: -1 }).metadata();
  const frames = header.pages ?? 1;
  const { width, height } = frames > 1 ? { width: header.width, height: header.pageHeight ?? 0 } : header.autoOrient;
  if (width < 1 || height < 1) throw new ProbeRefusal('The image has no pixels.');
  if (Math.max(width, height) > bounds.maxSidePixels) {
    throw new ProbeRefusal(`The image exceeds ${bounds.maxSidePixels} px on a side.`);
  }
  if (width * height * frames > bounds.maxPixels) {
    throw new ProbeRefusal(`The image exceeds ${bounds.maxPixels} pixels over all frames.`);
  }
  return { width, height, hasAlpha: header.hasAlpha };
}

/**
 * Decodes every pixel of the first frame, so a truncated file is refused. Warnings are ignored: ordinary cameras and
 * editors write profiles and padding that cause them.
 */
export async function probeImage({ path, bounds }: { path: string; bounds: ImageBounds }): Promise<ProbeResult> {
  const { width, height, hasAlpha } = await requireBounds({ path, bounds });
  const { data, info } = await sharp(path, { failOn: 'error', limitInputPixels: bounds.maxPixels })
    .autoOrient()
    .resize(THUMBNAIL_PIXELS, THUMBNAIL_PIXELS, { fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const transparent = hasClearPixel(data, info.channels);
  return {
    answer: { readable: true, width, height, ...(hasAlpha ? { transparent } : {}) },
    picture: await encodeThumbnail(data, info),
  };
}

/** Rasterised from memory, so no file that the drawing refers to can be opened. */
export async function probeSvg(path: string): Promise<ProbeResult> {
  if ((await stat(path)).size > MAX_SVG_BYTES) throw new ProbeRefusal('The SVG is too large.');
  const drawing = await readFile(path);
  return withSvg(async () => {
    const { width, height } = await sharp(drawing, { density: SVG_DENSITY }).metadata();
    if (width < 1 || height < 1 || width > MAX_SVG_SIDE_PIXELS || height > MAX_SVG_SIDE_PIXELS) {
      throw new ProbeRefusal('The SVG has no valid size.');
    }
    const density = Math.max(1, Math.min(2400, (SVG_DENSITY * THUMBNAIL_PIXELS) / Math.max(width, height)));
    const { data, info } = await sharp(drawing, { density, limitInputPixels: 4 * THUMBNAIL_PIXELS ** 2 })
      .resize(THUMBNAIL_PIXELS, THUMBNAIL_PIXELS, { fit: 'inside' })
      .toColourspace('srgb')
      .raw()
      .toBuffer({ resolveWithObject: true });
    return {
      answer: { readable: true, width, height, transparent: hasClearPixel(data, info.channels) },
      picture: await encodeThumbnail(data, info),
    };
  });
}

/** Rasterises a trusted SVG. */
export function drawSvg(markup: string): Promise<Buffer> {
  return withSvg(() =>
    sharp(Buffer.from(markup)).webp({ quality: THUMBNAIL_QUALITY, effort: THUMBNAIL_EFFORT }).toBuffer(),
  );
}

export function encodeThumbnail(pixels: Uint8Array, raw: { width: number; height: number; channels: number }) {
  const { width, height } = raw;
  return sharp(pixels, { raw: { width, height, channels: raw.channels as 1 | 2 | 3 | 4 } })
    .resize(THUMBNAIL_PIXELS, THUMBNAIL_PIXELS, { fit: 'inside', withoutEnlargement: true })
    .webp({ quality: THUMBNAIL_QUALITY, effort: THUMBNAIL_EFFORT })
    .toBuffer();
}

/** The SVG loaders are blocked except while a drawing is rasterised. */
async function withSvg<T>(draw: () => Promise<T>): Promise<T> {
  sharp.unblock(SVG_LOADERS);
  try {
    return await draw();
  } finally {
    sharp.block(SVG_LOADERS);
  }
}

function hasClearPixel(pixels: Uint8Array, channels: number): boolean {
  if (channels !== 2 && channels !== 4) return false;
  for (let at = channels - 1; at < pixels.length; at += channels) if (pixels[at]! < 255) return true;
  return false;
}
