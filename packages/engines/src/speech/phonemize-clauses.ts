import { runProgram } from '../run-program.ts';
import type { Speech } from './kokoro-voices.ts';
import { mapPhonemes } from './map-phonemes.ts';
import type { SpokenClause } from './pack-chunks.ts';
import type { Clause } from './split-clauses.ts';

/** Gets the phonemes of clauses from espeak-ng; silent clauses are dropped. */
export async function phonemizeClauses(options: {
  clauses: readonly Clause[];
  speech: Speech;
  espeakPath: string;
  dir: string;
}): Promise<readonly SpokenClause[]> {
  const ask = async (clauses: readonly Clause[]) => {
    const output = await runProgram({
      path: options.espeakPath,
      args: ['-q', '--ipa=3', '-v', options.speech, '--stdin'],
      cwd: options.dir,
      input: `${clauses.map(({ words }) => words).join('\n\n')}\n`,
    });
    return output
      .toString('utf8')
      .split('\n')
      .filter((line) => line.trim() !== '');
  };
  let lines = await ask(options.clauses);
  if (lines.length !== options.clauses.length) {
    // espeak-ng found a different number of clauses, so each is processed separately.
    lines = [];
    for (const clause of options.clauses) lines.push((await ask([clause])).join(' '));
  }
  return options.clauses
    .map(({ mark, endsParagraph }, index) => ({
      phonemes: mapPhonemes({ ipa: lines[index]!, speech: options.speech }),
      mark,
      endsParagraph,
    }))
    .filter(({ phonemes }) => phonemes !== '');
}
