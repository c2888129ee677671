import type { ParamValues } from '@atelier/contract';
import { EngineRefusal } from '../engine.ts';
import { placeModel, type SolidModel } from '../mesh/solid-model.ts';
import { buildIcon } from './build-icon.ts';
import { buildLetters } from './build-letters.ts';
import { openFont } from './open-font.ts';
import type { Vocabulary } from './open-vocabulary.ts';
import { type PaletteName, palettes } from './palettes.ts';
import { readIcon } from './read-icon.ts';

/** From Debian's fonts-dejavu-core. */
const FONT_PATH = '/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf';
const MAX_LETTERS = 40;
const QUALITIES = {
  standard: { stepsPerCurve: 8, bevelSteps: 4 },
  high: { stepsPerCurve: 18, bevelSteps: 8 },
};

/** The object or the letters of a request. */
export async function buildObject(params: ParamValues, vocabulary: Vocabulary): Promise<SolidModel> {
  const quality = QUALITIES[params.geometry_quality === 'high' ? 'high' : 'standard'];
  const finish = palettes[(params.palette as PaletteName | undefined) ?? 'original'];
  const prompt = String(params.prompt ?? '').trim();
  const text = lettersOf(prompt, params.text);
  if (text !== undefined) {
    if ([...text].length > MAX_LETTERS)
      throw new EngineRefusal(`The text is too long. The limit is ${MAX_LETTERS} characters.`);
    const font = await openFont(FONT_PATH, quality.stepsPerCurve);
    return placeModel(buildLetters(text, { font, finish, bevelSteps: quality.bevelSteps }));
  }
  const svg = await vocabulary.read(vocabulary.find(prompt));
  return placeModel(buildIcon(readIcon(svg, quality.stepsPerCurve), { finish, bevelSteps: quality.bevelSteps }));
}

/** The `text` param, or a prompt of the form `text: HELLO`. */
function lettersOf(prompt: string, text: unknown): string | undefined {
  if (typeof text === 'string' && text.trim() !== '') return text.trim();
  return /^(?:text|letters)\s*:\s*(.+)$/isu.exec(prompt)?.[1]?.trim();
}
