import { EngineRefusal } from '../engine.ts';
import { type Style, type StyleName, styleNames, styles } from './styles.ts';

const VOICE_WORDS = /\b(?:sing|singing|singer|vocals?|lyrics|rap|choir song|song about)\b/i;

/** The requested style, or the one whose words occur most often in the prompt. */
export function chooseStyle(prompt: string, named: string | undefined): StyleName {
  if (VOICE_WORDS.test(prompt))
    throw new EngineRefusal('This model supports instrumental music only. Request music without vocals.');
  if (named !== undefined && named !== 'auto') return named as StyleName;
  const words = prompt
    .toLowerCase()
    .replaceAll(/8[- ]bit/g, '8bit')
    .replaceAll(/lo-?\s?fi/g, 'lofi')
    .replaceAll(/hip[- ]hop/g, 'hiphop')
    .split(/[^a-z0-9]+/);
  const scored = styleNames.map((name) => {
    const style: Style = styles[name];
    return {
      name,
      score: words.reduce((sum, word) => sum + (word === name ? 3 : style.words.includes(word) ? 1 : 0), 0),
    };
  });
  const best = scored.reduce((a, b) => (b.score > a.score ? b : a));
  if (best.score === 0) {
    throw new EngineRefusal(
      `The prompt names no supported style. Use one of: ${styleNames.join(', ')}; or a mood such as calm, happy, epic, sad, dark, energetic.`,
    );
  }
  return best.name;
}
