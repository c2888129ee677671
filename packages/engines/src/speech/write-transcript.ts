import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EngineOutput } from '../engine.ts';
import { EngineRefusal } from '../engine.ts';
import { type Caption, formatSubtitles } from './format-subtitles.ts';

/** A silence of this length starts a new paragraph. */
const PARAGRAPH_PAUSE_SECONDS = 2;

/** Writes a transcript as plain text and as subtitles. */
export async function writeTranscript(options: {
  captions: readonly Caption[];
  /** The separator between two captions: empty in languages without spaces. */
  space: ' ' | '';
  dir: string;
}): Promise<EngineOutput> {
  const captions = options.captions.filter(({ text }) => text !== '');
  if (captions.length === 0)
    throw new EngineRefusal('No speech found in the recording. Send a recording with clear speech.');
  let text = '';
  for (const [index, caption] of captions.entries()) {
    const before = captions[index - 1];
    const pause = before === undefined ? 0 : caption.from - before.to;
    text += `${before === undefined ? '' : pause >= PARAGRAPH_PAUSE_SECONDS ? '\n\n' : options.space}${caption.text}`;
  }
  const { srt, vtt } = formatSubtitles(captions);
  const path = join(options.dir, 'transcript.txt');
  const subtitles = { srtPath: join(options.dir, 'transcript.srt'), vttPath: join(options.dir, 'transcript.vtt') };
  await Promise.all([
    writeFile(path, `${text}\n`),
    writeFile(subtitles.srtPath, srt),
    writeFile(subtitles.vttPath, vtt),
  ]);
  return { path, subtitles };
}
