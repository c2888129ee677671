import { mailBudgetAlert } from '../domain/budgets/mail-budget-alert.ts';
import { mailEndpointPaused } from '../domain/webhooks/endpoints/mail-endpoint-paused.ts';
import type { JobHandlers } from './job-handler.ts';

/** One mail each. A rejected one returns to the queue. */
export const sendMails: Pick<JobHandlers, 'mail-budget-alert' | 'mail-endpoint-paused'> = {
  'mail-budget-alert': (services, jobs) => jobs.map((job) => mailBudgetAlert(services, job.data)),
  'mail-endpoint-paused': (services, jobs) => jobs.map((job) => mailEndpointPaused(services, job.data)),
};
