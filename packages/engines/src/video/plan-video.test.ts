import { expect, test } from 'vitest';
import { EngineRefusal } from '../engine.ts';
import { readProgress } from '../ffmpeg/frames.ts';
import { type ProbedFile, readVideoFacts, type VideoFacts } from '../ffmpeg/probe-video.ts';
import { frameOf, planAddedAudio, planEffect, planExtension, planInterpolation, planReframe } from './plan-video.ts';

const facts: VideoFacts = { width: 640, height: 360, seconds: 4, fps: 25, videoIndex: 0, audioIndex: 1 };
const ask = (params: Record<string, unknown>, settings: Record<string, unknown> = {}) => ({ facts, params, settings });

function probed(more: object): ProbedFile {
  return {
    streams: [{ index: 0, codec_type: 'video', width: 641, height: 360, avg_frame_rate: '30000/1001', ...more }],
    format: { duration: '2.5' },
  };
}

test('a probed clip: rotated, with non-square pixels and an impossible frame rate', () => {
  expect(readVideoFacts(probed({}))).toMatchObject({ width: 642, height: 360, seconds: 2.5, audioIndex: null });
  expect(readVideoFacts(probed({})).fps).toBeCloseTo(29.97, 2);
  expect(readVideoFacts(probed({ side_data_list: [{ rotation: -90 }] }))).toMatchObject({ width: 360, height: 642 });
  expect(readVideoFacts(probed({ width: 720, sample_aspect_ratio: '4:3' }))).toMatchObject({ width: 960 });
  expect(readVideoFacts(probed({ avg_frame_rate: '90000/1' })).fps).toBe(60);
  expect(readVideoFacts(probed({ avg_frame_rate: '0/0' })).fps).toBe(25);
  expect(() => readVideoFacts(probed({ disposition: { attached_pic: 1 } }))).toThrow(EngineRefusal);
  expect(() => readVideoFacts({})).toThrow(EngineRefusal);
});

test('progress is read from the lines of ffmpeg', () => {
  expect(readProgress('out_time_us=1500000')).toBe(1.5);
  expect(readProgress('out_time=00:00:01.5')).toBeNull();
  expect(readProgress('out_time_us=N/A')).toBeNull();
});

test('interpolation refuses a frame rate that the clip already has', () => {
  expect(planInterpolation(ask({ fps: 60 })).seconds).toBe(4);
  expect(() => planInterpolation(ask({ fps: 24 }))).toThrow('already has 25 frames per second');
});

test('reframing keeps the scale and produces even sides', () => {
  expect(frameOf({ facts, ratio: 1, isCut: true })).toEqual({ width: 360, height: 360 });
  expect(frameOf({ facts, ratio: 1, isCut: false })).toEqual({ width: 640, height: 640 });
  expect(frameOf({ facts, ratio: 9 / 16, isCut: true })).toEqual({ width: 202, height: 360 });
  expect(frameOf({ facts: { width: 1920, height: 1080 }, ratio: 9 / 16, isCut: false })).toEqual({
    width: 1080,
    height: 1920,
  });
  expect(() => planReframe(ask({ aspect_ratio: 'wide', style: 'crop' }))).toThrow(EngineRefusal);
  expect(() => planReframe(ask({ aspect_ratio: '1:1', style: 'melt' }))).toThrow(EngineRefusal);
});

test('extension refuses durations that are too short, too slow or too large for memory', () => {
  expect(planExtension(ask({ style: 'loop', duration: 9 })).before).toEqual(['-stream_loop', '2']);
  expect(() => planExtension(ask({ style: 'loop', duration: 4 }))).toThrow('already 4 seconds long');
  expect(() => planExtension(ask({ style: 'slow', duration: 17 }))).toThrow('at most 16');
  const large = { ...facts, width: 1920, height: 1080, seconds: 20, fps: 60 };
  const request = { facts: large, params: { style: 'ping-pong', duration: 40 }, settings: {} };
  expect(() => planExtension(request)).toThrow('too long to reverse');
});

test('audio is not mixed into a silent clip', () => {
  const silent = { facts: { ...facts, audioIndex: null }, params: { style: 'mix' }, settings: {} };
  expect(planAddedAudio(silent).graph).not.toContain('amix');
  expect(planAddedAudio(ask({ style: 'mix' })).graph).toContain('amix');
});

test('the preset of the effect overrides the param, and unknown presets are refused', () => {
  expect(planEffect(ask({ effect: 'noir' }, { preset: 'mirror' })).graph).toContain('hflip');
  expect(planEffect(ask({ effect: 'noir' })).graph).toContain('hue=s=0');
  expect(() => planEffect(ask({ effect: 'toString' }))).toThrow('unknown video effect');
});
