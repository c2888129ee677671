export const SAFETY_CATEGORIES = [
  'sexual-minors',
  'sexual',
  'violence-gore',
  'hate',
  'self-harm',
  'weapons-instructions',
] as const;
export type SafetyCategory = (typeof SAFETY_CATEGORIES)[number];

/** Where in a generation's life something was found. */
export type SafetyStage = 'prompt' | 'input' | 'output';

/** What one classifier says of one text or of a set of pictures. It is an automated guess and claims no more. */
export interface Verdict {
  readonly flagged: boolean;
  /** The nearest category, also when nothing is flagged; null when there is none to name. */
  readonly category: SafetyCategory | null;
  /** 0 to 1. */
  readonly score: number;
  readonly engine: string;
  readonly version: string;
}
