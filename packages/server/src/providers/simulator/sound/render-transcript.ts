import { writeFile } from 'node:fs/promises';
import type { ProducedOutput } from '../../provider.ts';
import type { RenderRequest } from '../render-request.ts';

const CUE_MS = 1_500;
const LINES = [
  'This transcript is simulated.',
  'No speech was recognised to make it.',
  'A live key returns the words of the recording.',
];

/** The same lines for every recording: as text, and as subtitles in both formats. */
export async function renderTranscript({ basePath }: RenderRequest): Promise<ProducedOutput> {
  const path = `${basePath}.txt`;
  const srtPath = `${basePath}.srt`;
  const vttPath = `${basePath}.vtt`;
  const cues = LINES.map((line, index) => {
    const from = timestamp(index * CUE_MS);
    const until = timestamp((index + 1) * CUE_MS);
    return { number: index + 1, line, from, until };
  });
  const srt = cues.map(({ number, line, from, until }) => `${number}\n${comma(from)} --> ${comma(until)}\n${line}\n`);
  const vtt = cues.map(({ line, from, until }) => `${from} --> ${until}\n${line}\n`);
  await Promise.all([
    writeFile(path, `${LINES.join(' ')}\n`),
    writeFile(srtPath, srt.join('\n')),
    writeFile(vttPath, `WEBVTT\n\n${vtt.join('\n')}`),
  ]);
  return { path, subtitles: { srtPath, vttPath } };
}

function timestamp(atMs: number): string {
  return new Date(atMs).toISOString().slice(11, 23);
}

/** SRT separates the milliseconds with a comma, WebVTT with a point. */
function comma(time: string): string {
  return time.replace('.', ',');
}
