import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type EngineOutput, EngineRefusal } from '../engine.ts';
import type { Stretch } from './split-at-silences.ts';

/** Recognized words with their times. */
export interface Caption extends Stretch {
  readonly text: string;
}

const MAX_LINE_LENGTH = 42;
const MS_PER_HOUR = 3_600_000;
const MS_PER_MINUTE = 60_000;

/** Writes captions as SRT and VTT. */
export function formatSubtitles(captions: readonly Caption[]): { srt: string; vtt: string } {
  const cues = captions.map(({ from, to, text }, index) => ({
    number: index + 1,
    times: `${formatTime(from)} --> ${formatTime(to)}`,
    lines: wrap(text).join('\n'),
  }));
  const srt = cues.map(({ number, times, lines }) => `${number}\n${times.replaceAll('.', ',')}\n${lines}\n`);
  const vtt = cues.map(({ number, times, lines }) => `${number}\n${times}\n${escapeCue(lines)}\n`);
  return { srt: srt.join('\n'), vtt: ['WEBVTT\n', ...vtt].join('\n') };
}

function formatTime(seconds: number): string {
  const ms = Math.round(seconds * 1000);
  const two = (count: number) => String(Math.floor(count)).padStart(2, '0');
  return `${two(ms / MS_PER_HOUR)}:${two((ms % MS_PER_HOUR) / MS_PER_MINUTE)}:${two((ms % MS_PER_MINUTE) / 1000)}.${String(ms % 1000).padStart(3, '0')}`;
}

function wrap(text: string): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= MAX_LINE_LENGTH)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function escapeCue(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

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
