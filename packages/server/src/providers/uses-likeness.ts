/**
 * Whether an engine animates or imitates a face or a voice that the customer sends. A model that runs on one of these asks
 * for consent, whatever its name and task. Voices that come with an engine belong to no particular person.
 */
export const usesLikeness = {
  u2net: false,
  silueta: false,
  modnet: false,
  migan: false,
  'real-esrgan': false,
  vtracer: false,
  relight: false,
  kokoro: false,
  moonshine: false,
  'whisper-base': false,
  rnnoise: false,
  'voice-fx': true,
  'ffmpeg-video': false,
  icon3d: false,
  inflate3d: false,
  gmic: false,
  'safety-prompt': false,
  'safety-picture': false,
  parallax: true,
  'landscape-painter': false,
  'midi-composer': false,
  'sfx-lab': false,
  'modnet-video': false,
  'portrait-talk': true,
  retouch: true,
} as const;

export function engineUsesLikeness(engine: unknown): boolean {
  return (
    typeof engine === 'string' &&
    Object.hasOwn(usesLikeness, engine) &&
    usesLikeness[engine as keyof typeof usesLikeness]
  );
}
