import type { OperatorLimits } from '../../services.ts';

/** The default limits of an installation, for tests and benchmarks. */
export const TEST_LIMITS: OperatorLimits = {
  uploadRetentionDays: 30,
  outputRetentionDays: 90,
  eventRetentionDays: 30,
  generationRetentionDays: 400,
  storageQuotaBytes: 0,
};
