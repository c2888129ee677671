import { UUID_PATTERN } from '@atelier/contract';
import { describe, expect, test } from 'vitest';
import { newId } from './ids.ts';

describe('newId', () => {
  test('is a version 7 UUID in the format that paths accept', () => {
    for (let n = 0; n < 1_000; n += 1) {
      const id = newId();
      expect(id).toMatch(new RegExp(UUID_PATTERN));
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }
  });

  test('contains its time, so that later ids sort later', () => {
    const nowMs = 1_700_000_000_123;
    expect(Number.parseInt(newId(nowMs).replaceAll('-', '').slice(0, 12), 16)).toBe(nowMs);
    expect(newId(nowMs) < newId(nowMs + 1)).toBe(true);
  });

  test('is unique, also within one millisecond', () => {
    const ids = Array.from({ length: 50_000 }, () => newId(1_700_000_000_000));
    expect(new Set(ids).size).toBe(ids.length);
  });
});
