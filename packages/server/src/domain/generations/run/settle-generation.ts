import { faultPoint } from '../../../platform/fault-point.ts';
import type { Services } from '../../services.ts';
import type { Settlement } from './runs.store.ts';

/**
 * Ends a run: outputs, charge and release, status, event, deliveries and the next promotion, in one transaction. An
 * outdated worker gets `fenced` and must change nothing.
 */
export async function settleGeneration(
  services: Pick<Services, 'settler' | 'wake' | 'telemetry' | 'limits'>,
  settlement: Omit<Settlement, 'retentionDays'>,
): Promise<'settled' | 'fenced'> {
  await faultPoint('settle.before-commit');
  const { outcome, wake } = await services.settler({
    ...settlement,
    retentionDays: services.limits.outputRetentionDays,
  });
  await faultPoint('settle.after-commit');
  services.wake(wake ?? []);
  if (outcome === 'fenced') services.telemetry.fencedSettlements.inc();
  else {
    services.telemetry.generations.inc({
      outcome: settlement.error === null ? 'succeeded' : 'failed',
      code: settlement.error ?? '',
    });
  }
  return outcome;
}
