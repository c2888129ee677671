import { sweepWebhooks as sweep } from '../domain/webhooks/sweep-webhooks.ts';
import type { JobHandler } from './job-handler.ts';

export const sweepWebhooks: JobHandler = (services, jobs) =>
  jobs.map(async () => {
    await sweep(services);
  });
