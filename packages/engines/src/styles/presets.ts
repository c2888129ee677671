import type { Sharp } from 'sharp';
import { type Filter, findFilter } from './filters.ts';
import { contactSheet, filmStrip, galleryFrame, polaroid, sideBySide } from './templates.ts';
import { type ToningName, tonings } from './tonings.ts';

const templates = {
  'side-by-side': { minPictures: 2, maxPictures: 4, compose: sideBySide },
  polaroid: { minPictures: 1, maxPictures: 4, compose: polaroid },
  'film-strip': { minPictures: 1, maxPictures: 4, compose: filmStrip },
  'contact-sheet': { minPictures: 1, maxPictures: 1, compose: contactSheet },
  'gallery-frame': { minPictures: 1, maxPictures: 1, compose: galleryFrame },
} as const;
type TemplateName = keyof typeof templates;

interface Preset {
  readonly minPictures: number;
  readonly maxPictures: number;
  /** Implemented by G'MIC, or by our own code. */
  readonly work: { readonly filter: Filter } | { readonly compose: (paths: readonly string[]) => Promise<Sharp> };
}

/** All presets that an effect or a style can use. */
export function findPreset(name: unknown): Preset | undefined {
  if (typeof name !== 'string') return undefined;
  if (Object.hasOwn(templates, name)) {
    const { compose, ...pictures } = templates[name as TemplateName];
    return { ...pictures, work: { compose } };
  }
  const one = { minPictures: 1, maxPictures: 1 };
  if (Object.hasOwn(tonings, name)) {
    const tone = tonings[name as ToningName];
    return { ...one, work: { compose: (paths) => tone(paths[0]!) } };
  }
  const filter = findFilter(name);
  return filter === undefined ? undefined : { ...one, work: { filter } };
}
