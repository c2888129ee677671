import { expect, test } from 'vitest';
import { createReporter, type JobEnd } from './create-reporter.ts';

const end = (id: string): JobEnd => ({ id, retryCount: 0 });

test('jobs that end while a batch is sent go into the next batch', async () => {
  const batches: string[][] = [];
  let answer = () => {};
  const reporter = createReporter({
    send: (batch) => {
      batches.push(batch.map(({ id }) => id));
      return new Promise<void>((resolve) => {
        answer = resolve;
      });
    },
    onError: () => {},
  });
  reporter.add(end('a'));
  reporter.add(end('b'));
  reporter.add(end('c'));
  answer();
  await Promise.resolve();
  await new Promise(setImmediate);
  answer();
  await reporter.close();
  expect(batches).toEqual([['a'], ['b', 'c']]);
});

test('no job is lost when it ends just as a flush finishes', async () => {
  const sent: string[] = [];
  const reporter = createReporter({
    send: async (batch) => {
      sent.push(...batch.map(({ id }) => id));
    },
    onError: () => {},
  });
  for (let n = 0; n < 50; n += 1) {
    reporter.add(end(`${n}`));
    for (let step = 0; step < n % 7; step += 1) await Promise.resolve();
  }
  await new Promise(setImmediate);
  expect(sent).toHaveLength(50);
});

test('reports are retried while the database is unavailable, until the reporter is closed', async () => {
  let away = true;
  let tries = 0;
  const sent: string[] = [];
  const errors: string[] = [];
  const reporter = createReporter({
    send: async (batch) => {
      tries += 1;
      if (away) throw new Error('away');
      sent.push(...batch.map(({ id }) => id));
    },
    onError: (error) => errors.push(error.message),
  });
  reporter.add(end('a'));
  await new Promise(setImmediate);
  expect(tries).toBe(1);
  away = false;
  reporter.add(end('b'));
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(sent.sort()).toEqual(['a', 'b']);
  expect(errors).toEqual(['away']);

  away = true;
  reporter.add(end('c'));
  await reporter.close();
  expect(tries).toBe(3);
});
