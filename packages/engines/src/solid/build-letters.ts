import { EngineRefusal } from '../engine.ts';
import type { Contour, SolidModel, SolidPart } from '../mesh/solid-model.ts';
import type { Finish } from './build-icon.ts';
import { groupContours } from './contours.ts';
import { extrudeShape } from './extrude-shape.ts';
import type { Font } from './open-font.ts';
import { readColour } from './read-icon.ts';

/** Relative to the font's em square. */
const THICKNESS = 0.3;
const BEVEL = 0.035;
const TRACKING = 0.04;
/** The colours that letters alternate between when the palette keeps the original colours. */
const LETTER_COLOURS = ['#f92f60', '#ff822d', '#fcd53f', '#00d26a', '#0074ba', '#8d65c5'].map(readColour);

/** One or more lines of text as upright letters. */
export function buildLetters(text: string, options: { font: Font; finish: Finish; bevelSteps: number }): SolidModel {
  const { font, finish } = options;
  const missing = [...new Set(text)].filter((letter) => letter.trim() !== '' && !font.glyph(letter.codePointAt(0)!));
  if (missing.length > 0) {
    throw new EngineRefusal(`Unsupported characters: ${missing.join(' ')}. Use letters, digits and punctuation.`);
  }
  const lines = text.split('\n').map((line) => line.trim());
  const parts: SolidPart[] = [];
  let seen = 0;
  lines.forEach((line, row) => {
    const glyphs = [...line].map(
      (letter) => font.glyph(letter.codePointAt(0)!) ?? { contours: [], advance: font.unitsPerEm / 3 },
    );
    const gap = TRACKING * font.unitsPerEm;
    let x = -glyphs.reduce((width, { advance }) => width + advance + gap, -gap) / 2;
    for (const { contours, advance } of glyphs) {
      const y = -row * font.lineHeight;
      const moved = contours.map((contour): Contour => contour.map((value, at) => value + (at % 2 === 0 ? x : y)));
      for (const shape of groupContours(moved, 'nonzero', font.unitsPerEm)) {
        const body = extrudeShape(shape, {
          thickness: THICKNESS * font.unitsPerEm,
          bevel: BEVEL * font.unitsPerEm,
          inset: 0,
          bevelSteps: options.bevelSteps,
        });
        const colour = finish.paint(LETTER_COLOURS[seen % LETTER_COLOURS.length]!);
        parts.push({ ...body, colour, metallic: finish.metallic, roughness: finish.roughness });
      }
      if (contours.length > 0) seen += 1;
      x += advance + gap;
    }
  });
  if (parts.length === 0) throw new EngineRefusal('The text has no letters.');
  return { parts };
}
