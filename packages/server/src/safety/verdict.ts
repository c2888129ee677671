export const SAFETY_CATEGORIES = [
  'sexual-minors',
  'sexual',
  'violence-gore',
  'hate',
  'self-harm',
  'weapons-instructions',
] as const;
export type SafetyCategory = (typeof SAFETY_CATEGORIES)[number];

/** What was checked: the prompt, an upload or an output. */
export type SafetyStage = 'prompt' | 'input' | 'output';

/** What one classifier says about one text or a set of pictures. */
export interface Verdict {
  readonly flagged: boolean;
  /** The nearest category, also when nothing is flagged; null when there is none to name. */
  readonly category: SafetyCategory | null;
  /** 0 to 1. */
  readonly score: number;
  readonly engine: string;
  readonly version: string;
}

/** Content could not be checked: a required classifier cannot run or failed, or the moderation server did not answer. */
export class SafetyUnavailable extends Error {
  override readonly name = 'SafetyUnavailable';
}
