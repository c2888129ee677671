/** The model reads some 250 tokens and dilutes what is long, so a long prompt is read through overlapping windows. */
const WINDOW_WORDS = 32;
const STEP_WORDS = 24;
const MAX_WINDOWS = 120;

export function splitPrompt(prompt: string): readonly string[] {
  const words = prompt.split(/\s+/).filter((word) => word !== '');
  if (words.length <= WINDOW_WORDS) return words.length === 0 ? [] : [words.join(' ')];
  const windows: string[] = [];
  for (let at = 0; at + (WINDOW_WORDS - STEP_WORDS) < words.length && windows.length < MAX_WINDOWS; at += STEP_WORDS)
    windows.push(words.slice(at, at + WINDOW_WORDS).join(' '));
  return windows;
}
