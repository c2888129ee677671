import { FAILURE_MESSAGES, type Generation } from '@atelier/contract';
import { showGeneration } from '@atelier/server/domain/generations/read/show-generation.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../harness/client.ts';
import { type EngineStack, startEngineStack } from './engine-stack.ts';

const MODEL = 'landscape-painter';
/** A word of the customer that the engine repeats in its error. */
const WORD = 'astronaut';

let engines: EngineStack;
beforeAll(async () => {
  engines = await startEngineStack({ models: [MODEL], env: { LOG_LEVEL: 'debug' } });
});
afterAll(() => engines?.stop());

test("prompts never reach a log: an engine's message is for the operator's view only", async () => {
  const { id } = await engines.submit(MODEL, { prompt: `a lake with an ${WORD}` });
  const generation = await until<Generation>(
    'the generation ends',
    async () => {
      const read = await engines.read(id);
      return read.completedAt !== null && read;
    },
    60_000,
  );
  expect(generation).toMatchObject({ status: 'failed', error: { code: 'invalid_input' }, coinsCharged: 0 });
  expect(generation.error?.message).toBe(FAILURE_MESSAGES.invalid_input);
  const shown = await showGeneration(engines.stack, id);
  expect(shown?.providerMessage).toContain(WORD);
  expect(shown?.failures).toMatchObject([
    { target: 'local/landscape-painter', code: 'invalid_input', decision: 'fail' },
  ]);
  const logs = engines.stack.members.flatMap((member) => member.logs).join('');
  expect(logs).toContain(`"generationId":"${id}"`);
  expect(logs).not.toContain(WORD);
  await engines.stack.assertBooks();
});
