import { expect, test } from 'vitest';
import type { QueuedJob } from '../queue/start-pump.ts';
import { bindHandler } from './handlers.ts';
import type { WorkerServices } from './job-handler.ts';

const job = (id: string, data: unknown): QueuedJob => ({ id, data, signal: new AbortController().signal });

function listen() {
  const logged: Array<Record<string, unknown>> = [];
  const log = { error: (message: string, fields: object) => logged.push({ message, ...fields }) };
  return { logged, services: { log } as unknown as WorkerServices };
}

test('a job whose payload does not match is logged and not run; the others of its batch run in order', async () => {
  const { logged, services } = listen();
  const ran: string[] = [];
  const start = bindHandler('deliver-webhook', services, (_services, jobs) =>
    jobs.map(async ({ id, data }) => {
      ran.push(`${id} ${data.deliveryId}`);
      if (id === 'c') throw new Error('failed');
    }),
  );
  const ends = start([
    job('a', { deliveryId: 'one', round: 1, attempt: 1 }),
    job('b', { deliveryId: 'two', round: 1 }),
    job('c', { deliveryId: 'three', round: 1, attempt: 2, addedLater: true }),
    job('d', { deliveryId: 4, round: 1, attempt: 1 }),
  ]);
  expect((await Promise.allSettled(ends)).map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
  ]);
  expect(ran).toEqual(['a one', 'c three']);
  expect(logged).toEqual([
    {
      message: 'job refused: its payload does not match the schema of its queue',
      queue: 'deliver-webhook',
      jobId: 'b',
      reason: 'payload lacks attempt',
    },
    expect.objectContaining({ jobId: 'd', reason: 'deliveryId must be string' }),
  ]);
});

test('a batch without a valid payload never reaches the handler', async () => {
  const { logged, services } = listen();
  const start = bindHandler('run-local', services, () => {
    throw new Error('called');
  });
  await Promise.all(start([job('a', null), job('b', { generationId: 7 })]));
  expect(logged.map(({ jobId }) => jobId)).toEqual(['a', 'b']);
});

test.each([null, {}])('recurring work has no payload: %j', async (data) => {
  const { logged, services } = listen();
  const ran: string[] = [];
  const start = bindHandler('sweep-files', services, (_services, jobs) =>
    jobs.map(async ({ id }) => void ran.push(id)),
  );
  await Promise.all(start([job('a', data)]));
  expect([ran, logged]).toEqual([['a'], []]);
});
