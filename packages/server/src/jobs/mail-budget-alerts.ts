import { mailBudgetAlert } from '../domain/budgets/mail-budget-alert.ts';
import type { JobHandler } from './job-handler.ts';

/** One mail each. A rejected one returns to the queue. */
export const mailBudgetAlerts: JobHandler<'mail-budget-alert'> = (services, jobs) =>
  jobs.map((job) => mailBudgetAlert(services, job.data));
