import { verifyBooksDaily } from '../domain/ledger/verify-books-daily.ts';
import type { JobHandler } from './job-handler.ts';

export const verifyBooksWhenDue: JobHandler<'verify-books'> = (services, jobs) =>
  jobs.map((job) => verifyBooksDaily(services, job.signal));
