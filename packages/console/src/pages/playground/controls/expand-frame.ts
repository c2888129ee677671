import type { ParamDescriptor, ParamName } from '@atelier/contract';

export const SIDES = ['left', 'right', 'top', 'bottom'] as const;
export type Side = (typeof SIDES)[number];

export const paramOf = (side: Side): ParamName => `expand_${side}`;

type Range = Extract<ParamDescriptor, { kind: 'range' }>;

/** Up to this bound the sides are percent of the picture, above it pixels: the contract does not name the unit. */
const MAX_PERCENT = 100;
const UNKNOWN_SIDE = 1_024;

export interface Frame {
  /** The size of the picture in its own pixels. */
  readonly width: number;
  readonly height: number;
  /** How many pixels one step of the value is, on this side. */
  perValue(side: Side): number;
}

export function createFrame(ranges: readonly Range[], picture: { width: number; height: number } | null): Frame {
  const { width, height } = picture ?? { width: UNKNOWN_SIDE, height: UNKNOWN_SIDE };
  const isPercent = ranges.every(({ max }) => max <= MAX_PERCENT);
  return {
    width,
    height,
    perValue: (side) => (!isPercent ? 1 : (side === 'left' || side === 'right' ? width : height) / 100),
  };
}

/** The nearest value that the range allows. */
export function toAllowed({ min, max, step }: Pick<Range, 'min' | 'max' | 'step'>, value: number): number {
  const stepped = min + Math.round((value - min) / step) * step;
  return Number(Math.min(max, Math.max(min, stepped)).toFixed(6));
}

/** How far a pointer that moved pulled this side outwards. */
export const outwards = (side: Side, moved: { x: number; y: number }): number =>
  ({ left: -moved.x, right: moved.x, top: -moved.y, bottom: moved.y })[side];
