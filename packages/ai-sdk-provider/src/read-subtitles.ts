import type { TranscriptionModelV4Result } from '@ai-sdk/provider';

const TIMES = /^(\d+):(\d+):(\d+),(\d+) --> (\d+):(\d+):(\d+),(\d+)$/;

/** The captions of an SRT file. */
export function readSubtitles(srt: string): TranscriptionModelV4Result['segments'] {
  return srt.split(/\r?\n\r?\n/).flatMap((block) => {
    const [, times = '', ...lines] = block.trim().split(/\r?\n/);
    const match = TIMES.exec(times);
    if (match === null) return [];
    const [from, to] = [match.slice(1, 5), match.slice(5, 9)].map(toSeconds) as [number, number];
    return [{ text: lines.join(' '), startSecond: from, endSecond: to }];
  });
}

function toSeconds([hours, minutes, seconds, milliseconds]: readonly string[]): number {
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(milliseconds) / 1000;
}
