import type { QueueName } from '../queue/queues.ts';
import { deliverWebhook } from './deliver-webhook.ts';
import type { JobHandler } from './job-handler.ts';
import { runGeneration } from './run-generation.ts';
import { sweepEvents } from './sweep-events.ts';
import { sweepFiles } from './sweep-files.ts';
import { sweepGenerations } from './sweep-generations.ts';
import { sweepStuck } from './sweep-stuck.ts';
import { sweepWebhooks } from './sweep-webhooks.ts';

/** Every job on one screen. A row of the jobs table without a handler here does not compile. */
export const handlers: { readonly [Q in QueueName]: JobHandler } = {
  'run-simulator': runGeneration,
  'run-local': runGeneration,
  'run-remote': runGeneration,
  'deliver-webhook': deliverWebhook,
  'sweep-stuck': sweepStuck,
  'sweep-files': sweepFiles,
  'sweep-events': sweepEvents,
  'sweep-generations': sweepGenerations,
  'sweep-webhooks': sweepWebhooks,
};
