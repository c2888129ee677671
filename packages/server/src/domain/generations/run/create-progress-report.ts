import type { Services } from '../../services.ts';
import { type RunRow, updateProgress } from './runs.store.ts';

const INTERVAL_MS = 500;

/** Takes what a provider says as often as it likes, and records it now and then. A lost word is no harm: the next one comes. */
export function createProgressReport(services: Pick<Services, 'db'>, run: RunRow): (progress: number) => void {
  let reportedAtMs = 0;
  return (progress) => {
    if (!Number.isFinite(progress) || Date.now() - reportedAtMs < INTERVAL_MS) return;
    reportedAtMs = Date.now();
    const part = Math.min(1, Math.max(0, progress));
    updateProgress(services.db, { id: run.id, attempt: run.attempt, progress: part }).catch(() => {});
  };
}
