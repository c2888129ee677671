import type { Style } from './styles.ts';

/** The pitch of a scale step; steps continue above and below the octave. */
export function pitchOf(style: Style, key: number, step: number): number {
  const octave = Math.floor(step / 7);
  return key + 12 * octave + style.scale[step - octave * 7]!;
}

/** The steps of a chord, root first. */
export function stepsOfChord(style: Style, root: number): number[] {
  return style.sevenths ? [root, root + 2, root + 4, root + 6] : [root, root + 2, root + 4];
}

/** The chord in close position, in the inversion nearest to the previous chord. */
export function voiceChord(style: Style, options: { key: number; root: number; around: number }): number[] {
  const pitches = stepsOfChord(style, options.root).map((step) => pitchOf(style, options.key, step));
  return pitches.map((pitch) => pitch + 12 * Math.round((options.around - pitch) / 12)).sort((a, b) => a - b);
}
