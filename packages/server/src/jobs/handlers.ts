import type { Services } from '../domain/services.ts';
import type { QueueName } from '../engine/queues.ts';
import type { EngineJob } from '../engine/start-pump.ts';
import type { SafeFetch } from '../platform/safe-fetch.ts';
import type { Provider } from '../providers/provider.ts';
import { deliverWebhook } from './deliver-webhook.ts';
import { runGeneration } from './run-generation.ts';
import { sweepEvents } from './sweep-events.ts';
import { sweepFiles } from './sweep-files.ts';
import { sweepStuck } from './sweep-stuck.ts';

export interface WorkerServices extends Services {
  readonly workerId: string;
  readonly providers: ReadonlyMap<string, Provider>;
  readonly safeFetch: SafeFetch;
  readonly webhookHeaderPrefix: string;
}

/** Starts every job of a batch and answers one promise per job, in order. */
export type JobHandler = (services: WorkerServices, jobs: readonly EngineJob[]) => Promise<void>[];

/** Every job on one screen. A row of the jobs table without a handler here does not compile. */
export const handlers: { readonly [Q in QueueName]: JobHandler } = {
  'run-simulator': runGeneration,
  'run-local': runGeneration,
  'run-remote': runGeneration,
  'deliver-webhook': deliverWebhook,
  'sweep-stuck': sweepStuck,
  'sweep-files': sweepFiles,
  'sweep-events': sweepEvents,
};
