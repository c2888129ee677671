import { expect, test } from 'vitest';
import type { Log } from '../platform/log.ts';
import { createSafety, type RunSafetyEngine } from './create-safety.ts';
import { DEFAULT_SAFETY_SETTINGS, type SafetySettings } from './safety-settings.ts';
import { SafetyUnavailable, type Verdict } from './verdict.ts';

const BAD: Verdict = { flagged: true, category: 'hate', score: 0.8, engine: 'minilm-exemplars', version: '1' };
const GOOD: Verdict = { ...BAD, flagged: false, score: 0.1 };

function build(options: { verdict?: Verdict | null; settings?: Partial<SafetySettings> } = {}) {
  const { verdict = GOOD, settings = {} } = options;
  const lines: string[] = [];
  const asked: { engine: string; request: Parameters<RunSafetyEngine>[1] }[] = [];
  const say = (message: string) => void lines.push(message);
  const log: Pick<Log, 'warn' | 'info'> = { warn: say, info: say };
  const safety = createSafety({
    settings: { ...DEFAULT_SAFETY_SETTINGS, ...settings },
    log,
    missingOf: (engine) => (verdict === null ? [`package of ${engine}`] : []),
    runEngine: async (engine, request) => {
      asked.push({ engine, request });
      return verdict && JSON.stringify(verdict);
    },
  });
  return { safety, lines, asked };
}

test('the floor blocks before any classifier runs', async () => {
  const { safety, asked } = build();
  expect(await safety.checkPrompt({ text: 'a nude child' })).toEqual({
    action: 'block',
    stage: 'prompt',
    category: 'sexual-minors',
    score: 1,
    engine: 'floor@1',
  });
  expect(asked).toEqual([]);
});

test('a prompt that the classifier flags is blocked or only logged, as configured', async () => {
  const blocking = build({ verdict: BAD });
  expect(await blocking.safety.checkPrompt({ text: 'words' })).toEqual({
    action: 'block',
    stage: 'prompt',
    category: 'hate',
    score: 0.8,
    engine: 'minilm-exemplars@1',
  });
  const noting = build({ verdict: BAD, settings: { prompt: { mode: 'flag', threshold: 0.6 } } });
  expect(await noting.safety.checkPrompt({ text: 'words' })).toMatchObject({ action: 'flag' });
  expect(noting.lines).toEqual(['content flagged']);
});

test('a harmless or empty prompt, and a disabled check, find nothing', async () => {
  expect(await build().safety.checkPrompt({ text: 'words' })).toBeNull();
  expect(await build({ verdict: BAD }).safety.checkPrompt({ text: ' ' })).toBeNull();
  const off = build({
    verdict: BAD,
    settings: { prompt: { mode: 'off', threshold: 0 }, picture: { mode: 'off', threshold: 0 }, floor: { mode: 'off' } },
  });
  expect(await off.safety.checkPrompt({ text: 'a nude child' })).toBeNull();
  expect(await off.safety.checkFiles({ paths: ['a.png'], kind: 'image', stage: 'input' })).toBeNull();
  expect(off.asked).toEqual([]);
});

test('a required check that cannot run throws SafetyUnavailable and reports what is missing', async () => {
  const { safety } = build({ verdict: null });
  await expect(safety.checkPrompt({ text: 'words' })).rejects.toThrow(SafetyUnavailable);
  const files = { paths: ['a.png'], kind: 'image', stage: 'output' } as const;
  await expect(safety.checkFiles(files)).rejects.toThrow(SafetyUnavailable);
  expect(safety.findGaps()).toEqual([
    { check: 'prompt', reason: 'missing package of safety-prompt' },
    { check: 'picture', reason: 'missing package of safety-picture' },
  ]);
  expect(build().safety.findGaps()).toEqual([]);
});

test('required moderation without a server throws SafetyUnavailable', async () => {
  const { safety } = build({ settings: { moderation: { ...DEFAULT_SAFETY_SETTINGS.moderation, mode: 'block' } } });
  await expect(safety.checkPrompt({ text: 'words' })).rejects.toThrow(SafetyUnavailable);
  expect(safety.findGaps()).toEqual([{ check: 'prompt', reason: 'SAFETY_MODERATION_URL is not set' }]);
});

test('a classifier that only flags and cannot run is skipped and logged once', async () => {
  const settings = { prompt: { mode: 'flag', threshold: 0.6 }, picture: { mode: 'off', threshold: 0 } } as const;
  const { safety, lines } = build({ verdict: null, settings });
  expect(await safety.checkPrompt({ text: 'words' })).toBeNull();
  expect(await safety.checkPrompt({ text: 'words' })).toBeNull();
  expect(lines).toHaveLength(1);
  expect(safety.findGaps()).toEqual([]);
});

test('files go to the picture classifier with their stage', async () => {
  const { safety, asked } = build({ verdict: { ...BAD, category: 'sexual' } });
  const finding = await safety.checkFiles({ paths: ['a.mp4'], kind: 'video', stage: 'output' });
  expect(finding).toMatchObject({ action: 'block', stage: 'output', category: 'sexual' });
  expect(asked).toEqual([
    {
      engine: 'safety-picture',
      request: { settings: { stage: 'output', threshold: 0.85 }, inputs: { videos: ['a.mp4'] } },
    },
  ]);
});

test('a moderation server that does not answer is skipped, or throws when onFailure is closed', async () => {
  const moderation = { ...DEFAULT_SAFETY_SETTINGS.moderation, mode: 'block' as const, url: 'http://127.0.0.1:1' };
  const open = build({ settings: { moderation } });
  expect(await open.safety.checkPrompt({ text: 'words' })).toBeNull();
  expect(open.lines).toHaveLength(1);
  const closed = build({ settings: { moderation: { ...moderation, onFailure: 'closed' } } });
  await expect(closed.safety.checkPrompt({ text: 'words' })).rejects.toThrow(SafetyUnavailable);
});
