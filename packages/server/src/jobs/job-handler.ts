import type { PollWakes } from '../domain/generations/run/callbacks.ts';
import type { ContentCheck } from '../domain/generations/run/check-content.ts';
import type { Services } from '../domain/services.ts';
import type { DeliveryDesk } from '../domain/webhooks/deliveries/create-delivery-desk.ts';
import type { Db } from '../platform/db.ts';
import type { Mailer } from '../platform/mail.ts';
import type { SafeFetch } from '../platform/safe-fetch.ts';
import type { Provider } from '../providers/provider.ts';
import type { Payloads, QueueName } from '../queue/queues.ts';
import type { QueuedJob } from '../queue/start-pump.ts';

export interface WorkerServices extends Services {
  readonly workerId: string;
  readonly providers: ReadonlyMap<string, Provider>;
  /** Route targets that this worker offers now. */
  readonly offered: () => readonly string[];
  readonly contentCheck: ContentCheck;
  readonly safeFetch: SafeFetch;
  readonly pollWakes: PollWakes;
  readonly deliveryDesk: DeliveryDesk;
  readonly webhookHeaderPrefix: string;
  readonly mail: Pick<Mailer, 'send'>;
  /** Public origin of the console, for links in mails. */
  readonly consoleUrl: string;
  /** For statements that take minutes. */
  readonly slowDb: Db;
}

/** Starts every job of a batch and returns one promise per job, in order. */
export type JobHandler<Q extends QueueName> = (
  services: WorkerServices,
  jobs: readonly QueuedJob<Payloads[Q]>[],
) => Promise<void>[];

export type JobHandlers = { readonly [Q in QueueName]: JobHandler<Q> };
