import sharp, { type OverlayOptions } from 'sharp';
import { joinAlpha, type Picture } from '../image/picture.ts';
import type { Subject } from './cut-subject.ts';
import { drawBackdrop } from './draw-backdrop.ts';

/** How much of the canvas the subject may fill, and its position. */
const FILL = 0.64;
const BASE_AT = 0.83;
const [MIN_SIDE, MAX_SIDE] = [1024, 2048];
const SEEN = 24;

const STYLES: Readonly<Record<string, { backdrop: string; shadow: number; reflection: number }>> = {
  studio: { backdrop: 'studio', shadow: 1, reflection: 0 },
  reflection: { backdrop: 'studio', shadow: 0.6, reflection: 0.34 },
  spotlight: { backdrop: 'spot', shadow: 1, reflection: 0.12 },
  catalogue: { backdrop: 'plain', shadow: 0.7, reflection: 0 },
};

/** Places a cut-out subject on a studio backdrop, with a shadow on the floor and, if requested, a reflection. */
export async function stageProduct(options: {
  subject: Subject;
  style: string;
  palette: string;
  aspect: number;
}): Promise<Picture> {
  const { subject, palette, aspect } = options;
  const style = STYLES[options.style] ?? STYLES['studio']!;
  const box = findBox(subject);
  const reach = Math.max(box.width / Math.min(1, aspect), box.height / Math.min(1, 1 / aspect));
  const side = Math.round(Math.min(MAX_SIDE, Math.max(MIN_SIDE, reach / FILL)));
  const [width, height] = aspect >= 1 ? [side, Math.round(side / aspect)] : [Math.round(side * aspect), side];
  const scale = Math.min((width * FILL) / box.width, (height * FILL) / box.height);
  const size = {
    width: Math.max(1, Math.round(box.width * scale)),
    height: Math.max(1, Math.round(box.height * scale)),
  };

  const cut = await sharp(joinAlpha(subject.rgb, subject.alpha), {
    raw: { width: subject.width, height: subject.height, channels: 4 },
  })
    .extract({ left: box.left, top: box.top, width: box.width, height: box.height })
    .resize({ ...size, fit: 'fill' })
    .png()
    .toBuffer();
  const left = Math.round((width - size.width) / 2);
  // A subject cut off at the lower edge of the photograph is placed on our lower edge, so that it does not float.
  const cutOff = box.top + box.height >= subject.height - 1;
  const base = cutOff ? height : Math.round(Math.max(height * BASE_AT, size.height + height * 0.08));
  const backdrop = await drawBackdrop({ style: style.backdrop, palette, width, height, seed: 1 });
  const layers: OverlayOptions[] = [];
  if (style.reflection > 0 && !cutOff) {
    layers.push(await drawReflection({ cut, ...size, left, base, room: height - base, strength: style.reflection }));
  }
  if (!cutOff) {
    layers.push(
      ...(await drawShadows({ cut, ...size, left, base, canvas: { width, height }, strength: style.shadow })),
    );
  }
  layers.push({ input: cut, left, top: base - size.height });
  const rgb = await sharp(backdrop.rgb, { raw: { width, height, channels: 3 } })
    .composite(layers)
    .removeAlpha()
    .raw()
    .toBuffer();
  return { rgb, width, height };
}

function findBox(subject: Subject): { left: number; top: number; width: number; height: number } {
  let [left, top, right, bottom] = [subject.width, subject.height, -1, -1];
  for (let y = 0, i = 0; y < subject.height; y++) {
    for (let x = 0; x < subject.width; x++, i++) {
      if (subject.alpha[i]! < SEEN) continue;
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = y;
    }
  }
  if (right < 0) return { left: 0, top: 0, width: subject.width, height: subject.height };
  return { left, top, width: right - left + 1, height: bottom - top + 1 };
}

/** Two shadows: a wide one from the ambient light, and a dark contact shadow where the subject touches the floor. */
async function drawShadows(options: {
  cut: Buffer;
  width: number;
  height: number;
  left: number;
  base: number;
  canvas: { width: number; height: number };
  strength: number;
}): Promise<OverlayOptions[]> {
  const { cut, width, height, left, base, canvas, strength } = options;
  const wide = {
    width: Math.round(width * 0.92),
    height: Math.max(2, Math.round(Math.min(height, width * 1.5) * 0.2)),
  };
  const rim = { width, height };
  const kinds = [
    {
      ...wide,
      bottom: base + Math.round(wide.height * 0.3),
      reach: Number.POSITIVE_INFINITY,
      blur: 0.045,
      opacity: 0.4,
    },
    { ...rim, bottom: base + Math.round(height * 0.014), reach: height * 0.28, blur: 0.011, opacity: 0.62 },
  ];
  return Promise.all(
    kinds.map(async (kind) => {
      const shape = await sharp(cut)
        .extractChannel('alpha')
        .resize({ width: kind.width, height: kind.height, fit: 'fill' })
        .toColourspace('b-w')
        .raw()
        .toBuffer();
      const plane = Buffer.alloc(canvas.width * canvas.height);
      const [fromX, fromY] = [left - Math.round((kind.width - width) / 2), kind.bottom - kind.height];
      for (let y = 0; y < kind.height; y++) {
        const near = Math.max(0, 1 - (kind.height - y) / kind.reach);
        for (let x = 0; x < kind.width; x++) {
          const [toX, toY] = [fromX + x, fromY + y];
          if (toX < 0 || toY < 0 || toX >= canvas.width || toY >= canvas.height) continue;
          plane[toY * canvas.width + toX] = Math.round(shape[y * kind.width + x]! * near);
        }
      }
      const soft = await sharp(plane, { raw: { ...canvas, channels: 1 } })
        .blur(Math.max(0.5, width * kind.blur))
        .toColourspace('b-w')
        .raw()
        .toBuffer();
      for (let i = 0; i < soft.length; i++) soft[i] = Math.round(soft[i]! * kind.opacity * strength);
      const input = joinAlpha(Buffer.alloc(soft.length * 3), soft);
      return { input, raw: { ...canvas, channels: 4 as const }, left: 0, top: 0 };
    }),
  );
}

async function drawReflection(options: {
  cut: Buffer;
  width: number;
  height: number;
  left: number;
  base: number;
  room: number;
  strength: number;
}): Promise<OverlayOptions> {
  const { cut, width, height, left, base, strength } = options;
  const shown = Math.max(1, Math.min(height, options.room));
  const { data } = await sharp(await sharp(cut).flip().toBuffer())
    .extract({ left: 0, top: 0, width, height: shown })
    .blur(Math.max(0.5, width * 0.003))
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  for (let y = 0; y < shown; y++) {
    const fade = strength * Math.max(0, 1 - y / Math.min(shown, height * 0.45)) ** 1.4;
    for (let x = 0; x < width; x++) data[(y * width + x) * 4 + 3] = Math.round(data[(y * width + x) * 4 + 3]! * fade);
  }
  return { input: data, raw: { width, height: shown, channels: 4 }, left, top: base };
}
