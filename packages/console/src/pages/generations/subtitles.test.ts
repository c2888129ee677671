import { expect, it } from 'vitest';
import { parseVtt } from './subtitles.ts';

it('reads cues with and without hours, and leaves out marks and notes', () => {
  const vtt = [
    'WEBVTT\n',
    'NOTE made by a model\n',
    '1\n00:00:00.000 --> 00:00:02.340\nTom &amp; Ann: 1 &lt; 2\nsecond line\n',
    '00:02.500 --> 00:04.000 line:0\n<v Ann>Hello <b>there</b>\n',
    '01:00:00.100 --> 01:00:01.000\nlate\n',
  ].join('\n');
  expect(parseVtt(vtt)).toEqual([
    { from: '00:00.0', to: '00:02.3', text: 'Tom & Ann: 1 < 2\nsecond line' },
    { from: '00:02.5', to: '00:04.0', text: 'Hello there' },
    { from: '01:00:00.1', to: '01:00:01.0', text: 'late' },
  ]);
});

it('keeps an escaped entity as text', () => {
  expect(parseVtt('00:00.000 --> 00:01.000\n&amp;lt;script&amp;gt;')[0]!.text).toBe('&lt;script&gt;');
});

it('finds no cue in something else', () => {
  expect(parseVtt('<html>')).toEqual([]);
});
