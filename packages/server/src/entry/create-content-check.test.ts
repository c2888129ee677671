import { expect, test } from 'vitest';
import { createLog } from '../platform/log.ts';
import { EngineFailed } from '../providers/local/engine-failed.ts';
import { DEFAULT_SAFETY_SETTINGS } from '../safety/safety-settings.ts';
import { createContentCheck } from './create-content-check.ts';

/** A machine without any classifier. */
const bare = {
  local: { runApart: async () => null },
  engines: {
    available: new Set<string>(),
    missingOf: (engine: string) => [`weights of ${engine}`],
    unavailable: () => [],
    close: () => {},
  },
  log: createLog({ level: 'silent' }),
};

test('required checks that cannot run are unavailable, and never let content pass', async () => {
  const check = createContentCheck({ safety: DEFAULT_SAFETY_SETTINGS }, bare);
  const unavailable = { name: 'SafetyUnavailable' };
  await expect(check.checkPrompt({ text: 'a lake' })).rejects.toMatchObject(unavailable);
  const files = { paths: ['a.png'], kind: 'image' } as const;
  await expect(check.checkFiles({ ...files, stage: 'input' })).rejects.toMatchObject(unavailable);
  await expect(check.checkFiles({ ...files, stage: 'output' })).rejects.toMatchObject(unavailable);
  expect(check.findGaps().map(({ check: name }) => name)).toEqual(['prompt', 'picture']);
});

test('a classifier that fails makes the check unavailable', async () => {
  const runApart = () => Promise.reject(new EngineFailed('crash', 'The engine exited.'));
  const check = createContentCheck({ safety: DEFAULT_SAFETY_SETTINGS }, { ...bare, local: { runApart } });
  await expect(check.checkPrompt({ text: 'a lake' })).rejects.toMatchObject({
    name: 'SafetyUnavailable',
    message: 'safety-prompt: The engine exited.',
  });
});
