import { type CreateEngine, EngineRefusal } from '../engine.ts';
import { readPicture, writePicture } from '../image/picture.ts';
import { findFaceMesh } from './find-face-mesh.ts';
import { drawSkinMask, smoothSkin } from './skin.ts';

const MAX_PIXELS = 16_000_000;
const STRENGTHS: Readonly<Record<string, number>> = { light: 0.4, medium: 0.65, strong: 0.85 };
const MIN_EYE_SPAN_PX = 20;

/** Smooths the skin of every face in a photograph and changes nothing else. */
export const createEngine: CreateEngine = async (kit) => {
  const finder = await findFaceMesh({ kit });
  return {
    async run({ params, inputs, dir }, report) {
      const [image] = inputs['image'] ?? [];
      if (image === undefined) throw new EngineRefusal('An image is required.');
      const strength = STRENGTHS[String(params.style)];
      if (strength === undefined) throw new EngineRefusal('The style must be light, medium or strong.');
      const picture = await readPicture(image, { maxPixels: MAX_PIXELS });
      const faces = (await finder(picture)).filter(({ eyeSpan }) => eyeSpan >= MIN_EYE_SPAN_PX);
      if (faces.length === 0) throw new EngineRefusal('The faces are too small to retouch. Use a larger image.');
      report(0.3);
      let { rgb } = picture;
      for (const [index, face] of faces.entries()) {
        const mask = await drawSkinMask(picture, [face]);
        rgb = smoothSkin({ picture: { ...picture, rgb }, mask, eyeSpan: face.eyeSpan, strength });
        report(0.3 + (0.6 * (index + 1)) / faces.length);
      }
      return [await writePicture({ picture: { ...picture, rgb }, dir, name: 'output' })];
    },
  };
};
