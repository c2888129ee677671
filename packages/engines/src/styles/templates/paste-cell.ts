import sharp, { type OverlayOptions } from 'sharp';

/** A picture cut to fill a rectangle, around what draws the eye, ready to be laid on a canvas. */
export async function pasteCell(
  path: string,
  cell: { left: number; top: number; width: number; height: number },
): Promise<OverlayOptions> {
  const input = await sharp(path)
    .rotate()
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .resize(cell.width, cell.height, { fit: 'cover', position: 'attention' })
    .png({ compressionLevel: 1 })
    .toBuffer();
  return { input, left: cell.left, top: cell.top };
}
