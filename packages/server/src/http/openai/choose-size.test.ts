import { describe, expect, test } from 'vitest';
import { sampleParam } from '../../domain/catalog/testing/sample-model.ts';
import { chooseSize } from './choose-size.ts';

const ratio = sampleParam('aspect_ratio', { kind: 'enum', values: ['1:1', '3:2', '2:3', '16:9', '9:16'] });
const pictures = [ratio, sampleParam('resolution', { kind: 'enum', values: ['1k', '2k'] })];
const clips = [
  sampleParam('aspect_ratio', { kind: 'enum', values: ['16:9', '9:16'] }),
  sampleParam('resolution', { kind: 'enum', values: ['480p', '720p', '1080p'] }),
];

describe('a size', () => {
  test.each([
    ['1024x1024', '1:1', '1k'],
    ['256x256', '1:1', '1k'],
    ['2048x2048', '1:1', '2k'],
    ['1536x1024', '3:2', '1k'],
    ['1024x1536', '2:3', '1k'],
    ['1792x1024', '16:9', '1k'],
    ['1024x1792', '9:16', '1k'],
  ])('%s of a picture is %s at %s', (size, aspect_ratio, resolution) => {
    expect(chooseSize(pictures, size)).toEqual({ aspect_ratio, resolution });
  });

  test.each([
    ['1280x720', '16:9', '720p'],
    ['720x1280', '9:16', '720p'],
    ['1792x1024', '16:9', '1080p'],
  ])('%s of a video is %s at %s', (size, aspect_ratio, resolution) => {
    expect(chooseSize(clips, size)).toEqual({ aspect_ratio, resolution });
  });

  test('of another shape is refused', () => {
    expect(chooseSize(clips, '1024x1024')).toBeNull();
    expect(chooseSize(pictures, '4000x500')).toBeNull();
  });

  test('needs a model with sizes', () => {
    expect(chooseSize([sampleParam('prompt', { kind: 'text', maxLength: 9 })], '1024x1024')).toBeNull();
    expect(chooseSize([ratio], '1024x1024')).toEqual({ aspect_ratio: '1:1' });
  });
});
