import { expect, test } from 'vitest';
import { formatSubtitles } from './transcript.ts';

test('both formats have the same times, each in its own notation', () => {
  const { srt, vtt } = formatSubtitles([
    { from: 0, to: 1.5, text: 'Hello.' },
    { from: 3_725.042, to: 3_726, text: 'A caption that is long enough for two lines, at 10.500 < 11 & so on.' },
  ]);
  expect(srt).toBe(
    '1\n00:00:00,000 --> 00:00:01,500\nHello.\n\n2\n01:02:05,042 --> 01:02:06,000\nA caption that is long enough for two\nlines, at 10.500 < 11 & so on.\n',
  );
  expect(vtt).toBe(
    'WEBVTT\n\n1\n00:00:00.000 --> 00:00:01.500\nHello.\n\n2\n01:02:05.042 --> 01:02:06.000\nA caption that is long enough for two\nlines, at 10.500 &lt; 11 &amp; so on.\n',
  );
});
