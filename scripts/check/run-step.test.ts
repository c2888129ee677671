import { expect, test } from 'vitest';
import { runStep } from './run-step.ts';

const root = process.cwd();
const step = (code: string) => ({ name: 'x', says: 'x', command: () => [process.execPath, '-e', code] as const });

test('a step that succeeds is ok and keeps its output', async () => {
  expect(await runStep(step('console.log("fine")'), { root })).toMatchObject({ ok: true, output: 'fine\n' });
});

test('a step with a non-zero exit status fails and keeps both outputs', async () => {
  const result = await runStep(step('console.log("a"); console.error("b"); process.exit(3)'), { root });
  expect(result).toMatchObject({ ok: false, skipped: false });
  expect(result.output).toContain('a\n');
  expect(result.output).toContain('b\n');
});

test('a step that is killed fails', async () => {
  expect(await runStep(step('process.kill(process.pid, "SIGKILL")'), { root })).toMatchObject({ ok: false });
});

test('a missing tool fails the step unless the step is optional', async () => {
  const missing = { name: 'x', says: 'x', command: () => ['no-such-program-here'] as const };
  expect(await runStep(missing, { root })).toMatchObject({ ok: false, skipped: false });
  expect(await runStep({ ...missing, optional: true }, { root })).toMatchObject({ ok: true, skipped: true });
});

test('a step with nothing to check is skipped', async () => {
  expect(await runStep({ name: 'x', says: 'x', command: () => null }, { root })).toMatchObject({
    ok: true,
    skipped: true,
  });
});
