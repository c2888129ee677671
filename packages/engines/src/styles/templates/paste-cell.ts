import sharp, { type OverlayOptions } from 'sharp';

/** An image cropped around its salient part to fill a rectangle of a canvas. */
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
