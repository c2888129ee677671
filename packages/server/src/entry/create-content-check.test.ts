import { expect, test } from 'vitest';
import { createLog } from '../platform/log.ts';
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

test('a run that arrives though its required checks cannot run fails as unavailable, and never passes unchecked', async () => {
  const check = createContentCheck({ safety: DEFAULT_SAFETY_SETTINGS }, bare);
  const unavailable = { name: 'ProviderError', code: 'unavailable', retryable: true };
  await expect(check.checkPrompt({ text: 'a lake' })).rejects.toMatchObject(unavailable);
  const files = { paths: ['a.png'], kind: 'image' } as const;
  await expect(check.checkFiles({ ...files, stage: 'input' })).rejects.toMatchObject(unavailable);
  await expect(check.checkFiles({ ...files, stage: 'output' })).rejects.toMatchObject(unavailable);
  expect(check.findGaps().map(({ check: name }) => name)).toEqual(['prompt', 'picture']);
});
