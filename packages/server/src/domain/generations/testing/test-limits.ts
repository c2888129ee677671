import type { OperatorLimits } from '../../services.ts';

/** The limits of an installation that sets none, for tests and benches. */
export const TEST_LIMITS: OperatorLimits = {
  uploadRetentionDays: 30,
  outputRetentionDays: 90,
  eventRetentionDays: 30,
  generationRetentionDays: 400,
  storageQuotaBytes: 0,
};
